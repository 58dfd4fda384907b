// graph: algorithms on graphs whose vertices are spread over ranks. README.md says what is printed.

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <string>
#include <sys/resource.h>

#include "graph/input.hpp"
#include "graph/kernel.hpp"
#include "graph/roots.hpp"
#include "graph/teps.hpp"
#include "graph/tuple_hash.hpp"
#include "harness/failure.hpp"
#include "harness/simulated.hpp"
#include "mpi/entry.hpp"
#include "mpi/implementation.hpp"
#include "mpi/oversubscription.hpp"
#include "protocol/lines.hpp"
#include "runtime/make_transport.hpp"
#include "timing/clock.hpp"

namespace {

using namespace goodsyard;
using namespace goodsyard::graph;

/// Vertices to start from; one that nothing looks at for algorithms without sources.
std::vector<Vertex> roots_of(const World& world, const Csr& graph, const Asked& request, const Drawn& input) {
    if (!has_sources(request.verb)) {
        return {0};
    }
    if (request.roots.empty()) {
        return choose_roots(world, graph, static_cast<std::size_t>(request.sources), input.candidate);
    }
    std::vector<Vertex> roots;
    for (const std::string& text : request.roots) {
        std::uint64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        if (number >= graph.owners.vertices()) {
            throw UsageError("--roots: " + text + " is not in the graph, which has vertices 0 … " +
                             std::to_string(graph.owners.vertices() - 1));
        }
        roots.push_back(graph.owners.vertex(number));
    }
    return roots;
}

/// Runs the kernel from every source, and writes its lines.
class Measuring {
  public:
    Measuring(const World& world, const Csr& graph, const Asked& request, runtime::Runtime& runtime,
              Kernel& kernel, const Lines& lines)
        : world_(world), graph_(graph), asked_(request), runtime_(runtime), kernel_(kernel), lines_(lines) {}

    void source(std::size_t ordinal, Vertex root) {
        std::vector<double> times_s;
        for (int i = 0; i < asked_.repetitions; ++i) {
            times_s.push_back(run_s(root));
        }
        if (asked_.validate) {
            const std::string from =
                has_sources(asked_.verb) ? " from vertex " + std::to_string(graph_.owners.number(root)) : "";
            fail_together(world_, "the result" + from + " is wrong", kernel_.violation(root));
        }
        const double edges = kernel_.edges();
        std::vector<Fact> facts = kernel_.facts();
        for (Fact& fact : runtime::facts(world_, runtime_.counters())) {
            facts.push_back(std::move(fact));
        }
        write(ordinal, root, times_s, edges, facts);
    }

    /// What the specification of Graph500 wants of all sources together.
    void summary() const {
        if (!world_.is_root() || rates_.empty()) {
            return;
        }
        const HarmonicMean harmonic = harmonic_mean(rates_);
        lines_.write("teps_harmonic_mean", "1/s", {}, {harmonic.mean});
        lines_.write("teps_harmonic_standard_error", "1/s", {}, {harmonic.standard_error});
    }

  private:
    /// Seconds of the slowest rank.
    double run_s(Vertex root) {
        runtime_.counters() = {};
        world_.barrier();
        const double begin_s = clock_.now_s();
        kernel_.run(root);
        return world_.all(Fold::max, clock_.now_s() - begin_s);
    }

    void write(std::size_t ordinal, Vertex root, const std::vector<double>& times_s, double edges,
               const std::vector<Fact>& facts) {
        if (!world_.is_root()) {
            return;
        }
        Labels labels;
        if (has_sources(asked_.verb)) {
            labels.set("source", static_cast<std::int64_t>(ordinal + 1));
            lines_.write("root", "", labels, {static_cast<double>(graph_.owners.number(root))});
        }
        lines_.write("time_s", "s", labels, times_s);
        lines_.write("edges", "", labels, {edges});
        std::vector<double> rates;
        for (const double time_s : times_s) {
            if (time_s > 0 && edges > 0) { // A simulation without --compute may take no time.
                rates.push_back(edges / time_s);
            }
        }
        if (!rates.empty()) {
            lines_.write("teps", "1/s", labels, rates);
            rates_.insert(rates_.end(), rates.begin(), rates.end());
        }
        for (const Fact& fact : facts) {
            lines_.write(fact.metric, fact.unit, labels.with(fact.labels), {fact.value});
        }
    }

    const World& world_;
    const Csr& graph_;
    const Asked& asked_;
    runtime::Runtime& runtime_;
    Kernel& kernel_;
    const Lines& lines_;
    const Clock clock_{Timer::monotonic};
    std::vector<double> rates_;
};

/// The most memory that this process has had so far.
double peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    constexpr double kib = 1024;
    return kib * static_cast<double>(usage.ru_maxrss);
}

/// What a file says of its edges is not left out in silence.
void check_direction(const Asked& request, const Edges& edges) {
    if (edges.is_directed() && !request.is_directed && !request.is_undirected) {
        const std::string cure = request.verb == Verb::pagerank
                                     ? "--directed follows it, and --undirected takes "
                                     : "--undirected takes ";
        throw UsageError(request.input.generator + " says that its edges have a direction; " + cure +
                         "each of them for both");
    }
}

void measure(const World& world, const Asked& request) {
    const double before_bytes = peak_bytes();
    const Computation computation(request.compute, request.rates, request.compute_times);
    const Lines lines(
        Labels{{"p", world.size()}, {"implementation", implementation()}, {"compute", computation.label()}});
    const Drawn input = make_input(world, request.input);
    check_direction(request, *input.edges);
    const Clock clock(Timer::monotonic);
    const double begin_s = clock.now_s();
    const Csr graph = build(world, *input.edges, row_order(request),
                            request.is_directed ? Arcs::as_given : Arcs::both_ways, request.dealing);
    const double construction_s = world.all(Fold::max, clock.now_s() - begin_s);
    const std::vector<Vertex> roots = roots_of(world, graph, request, input);
    const double remote = remote_share(world, graph);
    if (world.is_root()) {
        lines.write("construction_s", "s", {}, {construction_s});
        lines.write("remote_arcs", "", {}, {remote});
    }
    const auto transport = runtime::make_transport(world, request.runtime);
    runtime::Runtime runtime(*transport, request.runtime, computation);
    const std::unique_ptr<Kernel> kernel = make_kernel({world, *input.edges, graph, runtime}, request);
    Measuring measuring(world, graph, request, runtime, *kernel, lines);
    for (std::size_t i = 0; i < roots.size(); ++i) {
        measuring.source(i, roots[i]);
    }
    measuring.summary();
    if (!request.output.empty()) {
        write_outcome(world, graph, kernel->outcome(), request.output);
    }
    const double graph_bytes = world.all(Fold::sum, static_cast<double>(graph.bytes()));
    const double grown_bytes = world.all(Fold::sum, peak_bytes() - before_bytes);
    if (world.is_root() && !simulated) { // The ranks of a simulation are one process.
        lines.write("graph_bytes", "B", {}, {graph_bytes});
        lines.write("peak_bytes", "B", {}, {grown_bytes});
    }
    warn_if_oversubscribed(world, "graph");
}

/// The edges of one rank after the other, as a file that can be read again. Collective.
void write_edges(const World& world, const Edges& edges, const std::string& path) {
    for (int rank = 0; rank < world.size(); ++rank) {
        std::optional<std::string> wrong;
        if (rank == world.rank()) {
            std::FILE* file = std::fopen(path.c_str(), rank == 0 ? "w" : "a");
            for_batches(edges, [&](const std::vector<Edge>& some) {
                for (const Edge& edge : some) {
                    if (file != nullptr) {
                        std::fprintf(file, "%" PRIu64 " %" PRIu64 " %.9g\n", edge.source, edge.target,
                                     static_cast<double>(edge.weight));
                    }
                }
            });
            if (file == nullptr || std::ferror(file) != 0 || std::fclose(file) != 0) {
                wrong = path;
            }
        }
        fail_together(world, "cannot write the edges", wrong);
    }
}

void generate(const World& world, const Asked& request) {
    const Drawn input = make_input(world, request.input);
    if (!request.output.empty()) {
        write_edges(world, *input.edges, request.output);
    }
    const std::uint64_t tuples = world.all(Fold::sum, input.edges->own());
    const std::uint64_t hash = request.hash ? tuple_hash(world, *input.edges) : 0;
    if (world.is_root()) {
        std::printf("vertices %" PRIu64 "\ntuples %" PRIu64 "\n", input.edges->vertices(), tuples);
        if (request.hash) {
            std::printf("fnv1a %016" PRIx64 "\n", hash);
        }
    }
}

struct Known {
    Verb verb;
    const char* description;
};

const std::map<std::string, Known> verbs = {
    {"sssp", {Verb::sssp, "Shortest paths from each source."}},
    {"bfs", {Verb::bfs, "Levels from each source."}},
    {"cc", {Verb::cc, "Connected components."}},
    {"pagerank", {Verb::pagerank, "PageRank."}},
    {"kcore", {Verb::kcore, "Core numbers."}},
    {"bc", {Verb::bc, "Betweenness centrality, from each source."}},
    {"mis", {Verb::mis, "A maximal independent set."}},
    {"colour", {Verb::colour, "Colours, of which no two neighbours have the same."}},
    {"triangles", {Verb::triangles, "Triangles."}},
    {"generate", {Verb::generate, "What edges there are, without building a graph."}}};

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    const std::string word = argc > 1 ? argv[1] : "";
    const auto entry = verbs.find(word);
    if (entry == verbs.end()) {
        if (World(session).is_root()) {
            const std::string unknown =
                word.empty() || word == "--help" ? "" : "graph: '" + word + "' is unknown; ";
            std::fprintf(
                word == "--help" ? stdout : stderr,
                "%susage: graph sssp|bfs|cc|pagerank|kcore|bc|mis|colour|triangles|generate [OPTION ...]; "
                "graph sssp --help\n",
                unknown.c_str());
        }
        return word == "--help" ? 0 : 2;
    }
    Asked request;
    request.verb = entry->second.verb;
    const auto declare_all = [&](Options& options) { declare(options, request); };
    const auto body = [&](const World& world) {
        request.verb == Verb::generate ? generate(world, request) : measure(world, request);
    };
    return run(session, argc - 1, argv + 1,
               Program<World>{"graph " + word, entry->second.description, declare_all, body});
}
