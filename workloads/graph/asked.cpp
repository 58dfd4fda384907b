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

void declare_orders(Options& options, Asked& asked) {
    std::vector<std::string> names;
    for (const auto& [name, kind] : agm::order_names) {
        names.push_back(name);
    }
    options.add("--local-order", asked.local_order, "Of the current class on a rank; chaotic: as they come",
                names);
    names.insert(names.begin(), "usual");
    options.add("--order", asked.order,
                "Classes of work items; usual: delta for sssp, level for bfs, dijkstra for cc", names);
    options.add("--delta", asked.delta,
                "Width of a class of order delta; 0: 1, or of weights up to 1 the largest / 128", {0.0, 1e9});
    options.add("--k", asked.k, "Levels of a class of order kla", {1, 1 << 20});
}

void declare_direction(Options& options, Asked& asked) {
    const std::map<Verb, std::string> meanings = {
        {Verb::sssp, "Vertices ask over heavy edges where fewer may help than would be told"},
        {Verb::bfs, "Vertices look for the frontier where it is large; level by level, whatever the order"},
        {Verb::cc, "The largest component by such a search, labels for the others"}};
    if (const auto meaning = meanings.find(asked.verb); meaning != meanings.end()) {
        options.flag("--direction-optimising", asked.optimises_direction, meaning->second);
    }
    if (asked.verb == Verb::sssp) {
        options.negated("--no-filter", asked.filters,
                        "Send also distances that are not below what a vertex of another rank has been sent; "
                        "--direction-optimising always leaves these out");
        options.add("--light", asked.light,
                    "--direction-optimising: the largest weight of a light edge; 0: a 32nd of the largest",
                    {0.0, 1e9});
    }
}

/// Before the runtime settles what is left open.
void settle_blocking(Asked& asked) {
    if (!asked.blocks) {
        return;
    }
    if (asked.optimises_direction) {
        throw UsageError("--blocking and --direction-optimising exclude each other");
    }
    runtime::take_fibres(asked.runtime, "--blocking");
}

void declare_runs(Options& options, Asked& asked) {
    if (has_sources(asked.verb)) {
        options.add("--sources", asked.sources, "Sources, drawn from vertices that have edges", {1, 1 << 20});
        options.add("--roots", asked.roots, "Vertices to start from, in place of drawn ones");
    }
    if (has_orders(asked.verb)) {
        declare_orders(options, asked);
    }
    declare_direction(options, asked);
    if (asked.verb == Verb::bfs || asked.verb == Verb::bc) {
        options.flag("--blocking", asked.blocks,
                     "By tasks with stacks that wait for delegates, in place of work items; level by level");
    }
    if (asked.verb == Verb::pagerank) {
        options.add("--tolerance", asked.tolerance, "End when the changes of an iteration add up to less",
                    {1e-12, 1.0});
        options.add("--iterations", asked.iterations, "At most", {1, 100'000});
    }
    options.add(
        "--own", asked.own,
        "Items for a vertex of the same rank are received at-once, or sent like others; auto: at once "
        "by handlers, sent as tasks",
        {{"auto", Own::by_execution}, {"at-once", Own::at_once}, {"sent", Own::sent}});
    options.add("--repetitions", asked.repetitions, "Of each source", {1, 100'000});
    options.add("--output", asked.output,
                "File for the result, a line a vertex; in NumPy's format where it ends with .npy");
    options.flag("--validate", asked.validate, "Check the outcome of every source against the input");
    options.add(
        "--compute", asked.compute,
        "What counted operations take on a simulated machine: off (nothing), fixed (1 ns), or calibrated",
        {{"off", ComputeMode::off}, {"fixed", ComputeMode::fixed}, {"calibrated", ComputeMode::calibrated}});
    options.add("--rates", asked.rates, "File that `calibrate` wrote, in place of the source's own");
    options.add("--compute-times", asked.compute_times,
                "Each counted operation takes so many times as long: a slower core, or a heavier runtime",
                {1, 1'000'000});
    options.check([&asked] { settle_blocking(asked); });
    runtime::declare(options, asked.runtime);
}

void check_roots(const Asked& asked) {
    for (const std::string& root : asked.roots) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(root.data(), root.data() + root.size(), value);
        if (error != std::errc() || end != root.data() + root.size()) {
            throw UsageError("--roots: '" + root + "' is not a vertex");
        }
    }
}

void check_output(const Asked& asked) {
    const bool has_several = asked.roots.size() > 1 || (asked.roots.empty() && asked.sources > 1);
    const bool adds_up = asked.verb == Verb::bc; // Its scores are of all sources together.
    if (!asked.output.empty() && has_sources(asked.verb) && has_several && !adds_up) {
        throw UsageError("--output is the result of one source; --sources 1, or one vertex in --roots");
    }
}

void check_cache(const Asked& asked) {
    using runtime::Cache;
    const Cache cache = asked.runtime.cache;
    const bool adds_up = asked.verb == Verb::pagerank || asked.verb == Verb::bc;
    const bool fits = cache == Cache::none || (adds_up && cache == Cache::sum) ||
                      (has_orders(asked.verb) && (cache == Cache::min || cache == Cache::duplicates));
    if (!fits) {
        throw UsageError("--cache: duplicates and min are for sssp, bfs and cc, sum for pagerank and bc");
    }
}

} // namespace

bool has_sources(Verb verb) {
    return verb == Verb::sssp || verb == Verb::bfs || verb == Verb::bc;
}

void declare(Options& options, Asked& asked) {
    declare_input(options, asked.input);
    if (asked.verb == Verb::generate) {
        options.flag("--hash", asked.hash, "Print the FNV-1a hash of all tuples, in order");
        options.add("--output", asked.output, "File for the edges, `source target weight` a line");
        return;
    }
    declare_runs(options, asked);
    options.check([&asked] {
        check_roots(asked);
        check_cache(asked);
        check_output(asked);
    });
}

} // namespace goodsyard::graph
