#include "graph/asked.hpp"

#include <charconv>
#include <map>

#include "harness/failure.hpp"

namespace goodsyard::graph {

namespace {

/// Whether correct whatever the order is: labels are corrected until none is wrong.
bool has_orders(Verb verb) {
    return verb == Verb::sssp || verb == Verb::bfs || verb == Verb::cc;
}

void declare_input(Options& options, Input& input) {
    options.add("--generator", input.generator,
                "graph500, rmat1, rmat2, uniform, lattice, or a file: text with `source target [weight]` a "
                "line, or a Matrix "
                "Market matrix");
    options.add("--scale", input.scale, "Generators: 2^scale vertices, 16 edges for each (lattice: 2)",
                {1, 31});
    options.add(
        "--max-weight", input.largest_weight,
        "rmat1, rmat2, uniform, lattice: weights are whole numbers from 1 to this; 0: 255, of rmat2 100",
        {0, 1U << 20U});
    options.add("--seed", input.seed, "Of the graph and of the sources; 2: the seeds of Graph500");
}

void declare_orders(Options& options, Asked& request) {
    std::vector<std::string> names;
    for (const auto& [name, kind] : agm::order_names) {
        names.push_back(name);
    }
    options.add("--local-order", request.local_order, "Of the current class on a rank; chaotic: as they come",
                names);
    options.add(
        "--node-order", request.node_order,
        "Of the current class on the ranks of a node, which wait for each other's lesser items; needs "
        "memory that they share",
        names);
    names.insert(names.begin(), "usual");
    options.add("--order", request.order,
                "Classes of work items; usual: delta for sssp, level for bfs, dijkstra for cc", names);
    options.add("--delta", request.delta,
                "Width of a class of order delta; 0: 1, or of weights up to 1 the largest / 128", {0.0, 1e9});
    options.add("--k", request.k, "Levels of a class of order kla", {1, 1 << 20});
}

void declare_direction(Options& options, Asked& request) {
    const std::map<Verb, std::string> meanings = {
        {Verb::sssp, "Vertices ask over heavy edges where fewer may help than would be told"},
        {Verb::bfs, "Vertices look for the frontier where it is large; level by level, whatever the order"},
        {Verb::cc, "The largest component by such a search, labels for the others"}};
    if (const auto meaning = meanings.find(request.verb); meaning != meanings.end()) {
        options.flag("--direction-optimising", request.optimises_direction, meaning->second);
    }
    if (request.verb == Verb::sssp) {
        options.negated("--no-filter", request.filters,
                        "Send also distances that are not below what a vertex of another rank has been sent; "
                        "--direction-optimising always leaves these out");
        options.add("--light", request.light,
                    "--direction-optimising: the largest weight of a light edge; 0: a 32nd of the largest",
                    {0.0, 1e9});
    }
}

void check_orders(const Asked& request) {
    if (request.local_order != "chaotic" && request.node_order != "chaotic") {
        throw UsageError(
            "--local-order and --node-order exclude each other: that of the node is the rank's, too");
    }
}

/// Before the runtime settles what is left open.
void settle_blocking(Asked& request) {
    if (!request.blocks) {
        return;
    }
    if (request.optimises_direction) {
        throw UsageError("--blocking and --direction-optimising exclude each other");
    }
    runtime::take_fibres(request.runtime, "--blocking");
}

void declare_runs(Options& options, Asked& request) {
    if (has_sources(request.verb)) {
        options.add("--sources", request.sources, "Sources, drawn from vertices that have edges",
                    {1, 1 << 20});
        options.add("--roots", request.roots, "Vertices to start from, in place of drawn ones");
    }
    if (has_orders(request.verb)) {
        declare_orders(options, request);
    }
    declare_direction(options, request);
    if (request.verb == Verb::bfs || request.verb == Verb::bc) {
        options.flag("--blocking", request.blocks,
                     "By tasks with stacks that wait for delegates, in place of work items; level by level");
    }
    if (request.verb == Verb::bfs) {
        options.add("--batch", request.batch,
                    "--blocking: neighbours of one owner that a delegate claims, at most; with more than 1, "
                    "--loop-threshold is for those of each owner; 0: as many as --loop-threshold",
                    {0, largest_batch});
    }
    if (request.verb == Verb::cc) {
        request.method = Method::items;
        options.add(
            "--method", request.method,
            "items: labels by work items; union: each rank unites what its own edges join, then the first "
            "rank what edges between ranks join of these",
            {{"items", Method::items}, {"union", Method::unite}});
    }
    if (request.verb == Verb::pagerank) {
        options.add("--tolerance", request.tolerance, "End when the changes of an iteration add up to less",
                    {1e-12, 1.0});
        options.add("--iterations", request.iterations, "At most", {1, 100'000});
        options.add(
            "--method", request.method,
            "pull: vertices read what neighbours give them, those of other ranks from copies; items: a "
            "work item an edge; auto: items for --directed, --cache, --own and tasks, else pull",
            {{"auto", Method::by_input}, {"pull", Method::pull}, {"items", Method::items}});
        options.flag("--directed", request.is_directed,
                     "Edges lead from source to target alone, but for those of a symmetric matrix");
    }
    options.flag("--undirected", request.is_undirected,
                 "Take each edge for both directions though its file says that it has one (a general matrix, "
                 "'# Directed graph', '% asym')");
    options.add(
        "--owners", request.dealing,
        "Which rank has a vertex: cyclic, dealt out one by one; block, consecutive ones together (lattices, "
        "roads); hash, one by one in a drawn order",
        {{"cyclic", Dealing::cyclic}, {"block", Dealing::block}, {"hash", Dealing::hash}});
    options.add(
        "--own", request.own,
        "Items for a vertex of the same rank are received at-once, or sent like others; auto: at once "
        "by handlers, sent as tasks",
        {{"auto", Own::by_execution}, {"at-once", Own::at_once}, {"sent", Own::sent}});
    options.add("--repetitions", request.repetitions, "Of each source", {1, 100'000});
    options.add("--output", request.output,
                "File for the result, a line a vertex; in NumPy's format where it ends with .npy");
    options.flag("--validate", request.validate, "Check the outcome of every source against the input");
    options.add(
        "--compute", request.compute,
        "What counted operations take on a simulated machine: off (nothing), fixed (1 ns), or calibrated",
        {{"off", ComputeMode::off}, {"fixed", ComputeMode::fixed}, {"calibrated", ComputeMode::calibrated}});
    options.add("--rates", request.rates, "File that `calibrate` wrote, in place of the source's own");
    options.add(
        "--compute-times", request.compute_times,
        "Each counted operation takes so many times as long: a slower core, caches that miss, a heavier "
        "runtime",
        {0.001, 1e6});
    options.check([&request] { check_orders(request); });
    options.check([&request] { settle_blocking(request); });
    runtime::declare(options, request.runtime);
}

void check_direction(const Asked& request) {
    if (request.is_directed && request.is_undirected) {
        throw UsageError("--directed and --undirected exclude each other");
    }
}

/// Whether anything is asked for that only work items have.
bool has_items(const Asked& request) {
    return request.order != "usual" || request.local_order != "chaotic" || request.node_order != "chaotic" ||
           request.runtime.cache != runtime::Cache::none || request.own != Own::by_execution;
}

/// What other methods do not have is refused, not left out.
void check_method(const Asked& request) {
    if (request.method == Method::unite && request.optimises_direction) {
        throw UsageError("--method union and --direction-optimising exclude each other");
    }
    if (request.method == Method::unite && has_items(request)) {
        throw UsageError("orders, --cache and --own are for work items, of which --method union has none; "
                         "--method items");
    }
    if (request.method == Method::pull && request.is_directed) {
        throw UsageError("--method pull is for edges without a direction; --directed needs --method items");
    }
    if (request.method == Method::pull && has_items(request)) {
        throw UsageError(
            "--cache and --own are for work items, of which --method pull has none; --method items");
    }
}

void check_roots(const Asked& request) {
    for (const std::string& root : request.roots) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(root.data(), root.data() + root.size(), value);
        if (error != std::errc() || end != root.data() + root.size()) {
            throw UsageError("--roots: '" + root + "' is not a vertex");
        }
    }
}

void check_output(const Asked& request) {
    const bool has_several = request.roots.size() > 1 || (request.roots.empty() && request.sources > 1);
    const bool adds_up = request.verb == Verb::bc; // Its scores are of all sources together.
    if (!request.output.empty() && has_sources(request.verb) && has_several && !adds_up) {
        throw UsageError("--output is the result of one source; --sources 1, or one vertex in --roots");
    }
}

void check_cache(const Asked& request) {
    using runtime::Cache;
    const Cache cache = request.runtime.cache;
    const bool adds_up = request.verb == Verb::pagerank || request.verb == Verb::bc;
    const bool fits = cache == Cache::none || (adds_up && cache == Cache::sum) ||
                      (has_orders(request.verb) && (cache == Cache::min || cache == Cache::duplicates));
    if (!fits) {
        throw UsageError("--cache: duplicates and min are for sssp, bfs and cc, sum for pagerank and bc");
    }
}

} // namespace

bool has_sources(Verb verb) {
    return verb == Verb::sssp || verb == Verb::bfs || verb == Verb::bc;
}

bool pulls(const Asked& request) {
    if (request.method != Method::by_input) {
        return request.method == Method::pull;
    }
    return !request.is_directed && request.runtime.cache == runtime::Cache::none &&
           request.own == Own::by_execution && request.runtime.execution == runtime::Execution::handler;
}

void declare(Options& options, Asked& request) {
    declare_input(options, request.input);
    if (request.verb == Verb::generate) {
        options.flag("--hash", request.hash, "Print the FNV-1a hash of all tuples, in order");
        options.add("--output", request.output, "File for the edges, `source target weight` a line");
        return;
    }
    declare_runs(options, request);
    options.check([&request] {
        check_direction(request);
        check_method(request);
        check_roots(request);
        check_cache(request);
        check_output(request);
    });
}

} // namespace goodsyard::graph
