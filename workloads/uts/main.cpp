// uts: Unbalanced Tree Search by work stealing. README.md says what is printed.

#include <algorithm>
#include <ctime>
#include <string>

#include "harness/failure.hpp"
#include "harness/simulated.hpp"
#include "mpi/entry.hpp"
#include "mpi/host_memory.hpp"
#include "mpi/implementation.hpp"
#include "mpi/oversubscription.hpp"
#include "protocol/lines.hpp"
#include "runtime/make_transport.hpp"
#include "uts/asked.hpp"
#include "uts/memory_traversal.hpp"
#include "uts/traversal.hpp"

namespace {

using namespace goodsyard;
using namespace goodsyard::uts;

/// CPU time of this process.
double cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string words_of(const Counted& counted) {
    return std::to_string(counted.nodes) + " nodes, " + std::to_string(counted.leaves) +
           " leaves and depth " + std::to_string(counted.depth);
}

/// Raise SharedFailure where a traversal has found another tree.
void check(const Counted& result, const Counted& expected) {
    if (result != expected) {
        throw SharedFailure("the traversal has found " + words_of(result) + "; the tree has " +
                            words_of(expected));
    }
}
void check(const Counted& result, const Tree& tree) {
    if (const Counted* expected = known(tree.parameters())) {
        check(result, *expected);
    }
}

class Measuring {
  public:
    Measuring(const World& world, const Asked& request, runtime::Runtime& runtime, const Lines& lines)
        : world_(world), asked_(request), runtime_(runtime), lines_(lines), activity_(runtime) {}

    /// `visit(activity)` visits all nodes of the tree.
    template <class Visit>
    void run(Visit visit) {
        for (int i = 0; i < asked_.repetitions; ++i) {
            runtime_.counters() = {};
            world_.barrier();
            const double begin_cpu_s = cpu_s();
            const double begin_s = runtime_.now_s();
            activity_.restart(begin_s);
            visit(activity_);
            times_s_.push_back(world_.all(Fold::max, runtime_.now_s() - begin_s));
            cpu_times_s_.push_back(world_.all(Fold::max, cpu_s() - begin_cpu_s));
        }
    }

    void write(const Counted& counted, bool by_instructions) {
        const std::vector<Fact> facts = runtime::facts(world_, runtime_.counters());
        if (activity_.tasks.is_on()) {
            write_trace("tasks_over_time", activity_.tasks);
            write_trace("busy_ranks_over_time", activity_.busy);
        }
        if (!world_.is_root()) {
            return;
        }
        lines_.write("time_s", "s", {}, times_s_);
        write_rates("nodes_per_s", counted, times_s_);
        if (!simulated) { // The ranks of a simulation are one process.
            lines_.write("cpu_s", "s", {}, cpu_times_s_);
            write_rates("nodes_per_cpu_s", counted, cpu_times_s_);
        }
        lines_.write("nodes", "", {}, {static_cast<double>(counted.nodes)});
        lines_.write("leaves", "", {}, {static_cast<double>(counted.leaves)});
        lines_.write("depth", "", {}, {static_cast<double>(counted.depth)});
        lines_.write("sha_instructions", "", {}, {by_instructions ? 1.0 : 0.0});
        for (const Fact& fact : facts) {
            lines_.write(fact.metric, fact.unit, fact.labels, {fact.value});
        }
    }

  private:
    void write_rates(const char* metric, const Counted& counted, const std::vector<double>& times_s) const {
        std::vector<double> rates;
        for (const double time_s : times_s) {
            if (time_s > 0) { // A simulation without --compute may take no time.
                rates.push_back(static_cast<double>(counted.nodes) / time_s);
            }
        }
        if (!rates.empty()) {
            lines_.write(metric, "1/s", {}, rates);
        }
    }

    /// Of the last repetition.
    void write_trace(const char* metric, const runtime::TaskTrace& trace) const {
        const std::vector<std::uint64_t> samples = runtime::active_of_all(world_, trace);
        if (world_.is_root() && !samples.empty()) {
            lines_.write(metric, "", {}, {samples.begin(), samples.end()});
        }
    }

    const World& world_;
    const Asked& asked_;
    runtime::Runtime& runtime_;
    const Lines& lines_;
    Activity activity_;
    std::vector<double> times_s_;
    std::vector<double> cpu_times_s_;
};

/// UTS-mem: only the traversal is timed.
void measure_memory(const World& world, const Asked& request, Tree& tree, runtime::Runtime& runtime,
                    Measuring& measuring) {
    if (const Counted* expected = known(tree.parameters())) {
        const double local = bytes_of_node * static_cast<double>(expected->nodes) / world.size();
        require_memory(world, local, "the tree does", "a smaller --tree");
    }
    const auto fits = static_cast<std::uint64_t>(memory_of_rank(world) / bytes_of_node);
    global::Delegates delegates(runtime);
    const auto built = build(world, delegates, tree, request.seed, std::min(request.most_nodes, fits));
    check(built->counted, tree);
    MemoryTraversal traversal(delegates, *built, request.seed, request.list_piece);
    measuring.run([&](Activity& activity) { traversal.run(activity); });
    const Counted result = traversal.counted(world);
    check(result, built->counted);
    measuring.write(result, tree.by_instructions());
}

void measure(const World& world, const Asked& request) {
    const Computation computation(request.compute, request.rates, request.compute_times);
    const Lines lines(
        Labels{{"p", world.size()}, {"implementation", implementation()}, {"compute", computation.label()}});
    const bool everywhere = world.all(Fold::min, std::uint64_t{has_sha_instructions()}) != 0;
    if (request.sha == Sha::instructions && !everywhere) {
        throw UsageError("--sha instructions: a processor of these ranks has none; portable, or automatic");
    }
    Tree tree(request.parameters, everywhere ? request.sha : Sha::portable);
    const auto transport = runtime::make_transport(world, request.runtime);
    runtime::Runtime runtime(*transport, request.runtime, computation);
    Measuring measuring(world, request, runtime, lines);
    if (request.memory) {
        measure_memory(world, request, tree, runtime, measuring);
        return;
    }
    Traversal traversal(runtime, tree, request.seed, request.most_nodes);
    measuring.run([&](Activity& activity) { traversal.run(activity); });
    const Counted result = traversal.counted(world);
    check(result, tree);
    measuring.write(result, tree.by_instructions());
}

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    Asked request;
    return run(session, argc, argv,
               Program<World>{"uts", "Unbalanced Tree Search; writes Steelyard's line protocol.",
                              [&](Options& options) { declare(options, request); },
                              [&](const World& world) {
                                  measure(world, request);
                                  warn_if_oversubscribed(world, "uts");
                              }});
}
