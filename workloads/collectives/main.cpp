// Latency of MPI collectives: for each operation the maximum over ranks of end - start, from starts that all
// ranks make together. README.md says what is printed.

#include <algorithm>
#include <fmt/core.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/measure.hpp"
#include "collectives/rank_means.hpp"
#include "mpi/abort.hpp"
#include "mpi/check.hpp"
#include "mpi/implementation.hpp"
#include "protocol/lines.hpp"
#include "timing/quantile.hpp"

namespace workloads {
namespace {

/// Whether the ranks of this node are more than its CPUs.
bool is_oversubscribed([[maybe_unused]] const World& world) {
#ifdef WORKLOADS_SIMULATED
    return false;
#else
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(world.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
    int ranks = 1;
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

std::string sync_label(const Options& options) {
    switch (options.sync) {
    case Sync::window:
        return "window";
    case Sync::round_time:
        return "round-time";
    case Sync::barrier:
        return "barrier";
    }
    return "";
}

void report(const Lines& lines, Op op, const Operation& operation, const Options& options,
            Measured measured) {
    const Labels labels = {
        {"op", name_of(op)}, {"bytes", operation.bytes()}, {"algorithm", algorithm_of(op)}};
    std::vector<double> sorted = measured.latency_s;
    std::sort(sorted.begin(), sorted.end());
    const double reported_s = quantile(sorted, options.quantile);
    lines.write("latency_s", "s", labels, measured.latency_s);
    lines.write("latency_quantile_s", "s", labels, {reported_s});
    lines.write("spoilt_repetitions", "", labels, {static_cast<double>(measured.spoilt)});
    lines.write("window_s", "s", labels, {measured.window_s});
    lines.write("clock_error_s", "s", labels, {measured.clock_error_s});
    if (!measured.of_ranks_s.empty()) {
        const RankMeans means = rank_means(measured.of_ranks_s, measured.latency_s.size());
        lines.write("latency_of_rank_s", "s", labels, measured.of_ranks_s);
        lines.write("mean_of_ranks_s", "s", labels, {means.all_s});
        lines.write("mean_of_slowest_rank_s", "s", labels, {means.slowest_s});
    }
    fmt::print(stderr, "{:<10}{:>14.3f} us   {} valid, {} spoilt, window {:.1f} us, clocks to {:.3f} us\n",
               name_of(op), reported_s * 1e6, measured.latency_s.size(), measured.spoilt,
               measured.window_s * 1e6, measured.clock_error_s * 1e6);
}

int run(int argc, char** argv) {
    const World world;
    Options options;
    if (const int code = read_options(argc, argv, world, options); code >= 0)
        return code;
    const Clock clock(options.timer);
    options.clocks = chosen(options.clocks, world, clock);
    const Clock::Facts facts = clock.facts();
    const bool oversubscribed = is_oversubscribed(world);
    const Lines lines(
        {{"p", world.size()}, {"implementation", implementation()}, {"sync", sync_label(options)}});
    for (std::size_t i = 0; i < op_names.size(); i++) {
        const auto op = static_cast<Op>(i);
        const bool grows = op == Op::gather || op == Op::allgather || op == Op::alltoall;
        if (!options.ops[i] || (grows && options.most_ranks > 0 && world.size() > options.most_ranks))
            continue;
        const auto operation = make_operation(op, world, options.bytes);
        const Measured measured = measure(*operation, op, options, world, clock, oversubscribed);
        if (world.is_root())
            report(lines, op, *operation, options, measured);
    }
    if (world.is_root()) {
        lines.write("timer_cost_s", "s", Labels::object(), {facts.cost_s});
        lines.write("timer_step_s", "s", Labels::object(), {facts.step_s});
        fmt::print(stderr, "timer: {:.1f} ns a reading, step {:.1f} ns{}\n", facts.cost_s * 1e9,
                   facts.step_s * 1e9,
                   oversubscribed ? "; more ranks than CPUs: these times are no latencies" : "");
    }
    return 0;
}

} // namespace
} // namespace workloads

int main(int argc, char** argv) {
    const workloads::Session session(argc, argv);
    try {
        return workloads::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "collectives: {}\n", error.what());
        workloads::abort_all();
    }
}
