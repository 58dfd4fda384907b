#include "collectives/measure.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "collectives/verify.hpp"
#include "mpi/check.hpp"
#include "timing/quantile.hpp"

namespace workloads {

namespace {

constexpr int batch_repetitions = 50;
#ifdef WORKLOADS_SIMULATED
// One run is as the other, and costs real time.
constexpr int warm_timings = 1;
constexpr bool verify_again = false;
#else
constexpr int warm_timings = 3;
constexpr bool verify_again = true; // What only goes wrong in haste, or after many runs, is seen at the end.
#endif

/// The longest of some repetitions after a barrier: what the first window is made from.
double rough_duration_s(Operation& operation, const World& world, const Clock& clock) {
    double longest_s = 0;
    for (int i = 0; i < warm_timings; i++) {
        check(MPI_Barrier(world.handle()), "MPI_Barrier");
        const double begin_s = clock.now_s();
        operation.run();
        longest_s = std::max(longest_s, clock.now_s() - begin_s);
    }
    double slowest_s = 0;
    check(MPI_Allreduce(&longest_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, world.handle()), "MPI_Allreduce");
    return slowest_s;
}

bool precise_enough(std::vector<double> values_s, const Options& options) {
    if (options.precision <= 0)
        return false;
    std::sort(values_s.begin(), values_s.end());
    const QuantileInterval interval = quantile_interval(values_s, options.quantile);
    return interval.found &&
           interval.high - interval.low <= options.precision * quantile(values_s, options.quantile);
}

void keep_valid(const Batch& batch, std::size_t ranks, Measured& measured) {
    for (std::size_t i = 0; i < batch.longest_s.size(); i++) {
        if (batch.spoilt[i] != 0) {
            measured.spoilt++;
            continue;
        }
        measured.latency_s.push_back(batch.longest_s[i]);
        if (!batch.of_ranks_s.empty()) {
            const auto first = batch.of_ranks_s.begin() + static_cast<std::ptrdiff_t>(i * ranks);
            measured.of_ranks_s.insert(measured.of_ranks_s.end(), first,
                                       first + static_cast<std::ptrdiff_t>(ranks));
        }
    }
}

/// How many repetitions come next; 0 where it is enough. Asked on rank 0.
int next_batch(const Measured& measured, const Options& options, double spent_s) {
    const auto valid = static_cast<int>(measured.latency_s.size());
    if (valid >= options.repetitions || spent_s > options.budget_s ||
        precise_enough(measured.latency_s, options))
        return 0;
    return std::min(batch_repetitions, options.repetitions - valid);
}

} // namespace

Measured measure(Operation& operation, Op op, const Options& options, const World& world, const Clock& clock,
                 bool oversubscribed) {
    Timing timing{world, clock, synchronise(world, clock, options.clocks, ClockEffort{}), oversubscribed,
                  options.raw};
    if (options.verify)
        verify(operation, op, timing);
    for (int i = 0; i < options.warmup; i++)
        operation.run();
    const double rough_s = rough_duration_s(operation, world, clock);
    const auto synchroniser = make_synchroniser(options, timing, rough_s);

    Measured measured;
    const double begin_s = clock.now_s();
    for (;;) {
        int count = world.is_root() ? next_batch(measured, options, clock.now_s() - begin_s) : 0;
        check(MPI_Bcast(&count, 1, MPI_INT, 0, world.handle()), "MPI_Bcast");
        if (count == 0)
            break;
        const Batch batch = synchroniser->run(operation, count);
        if (world.is_root())
            keep_valid(batch, static_cast<std::size_t>(world.size()), measured);
    }
    if (options.verify && verify_again)
        verify(operation, op, timing);
    measured.window_s = synchroniser->window_s();
    measured.clock_error_s = largest_error95_s(world, clock, timing.model, 0);
    int valid = static_cast<int>(measured.latency_s.size());
    check(MPI_Bcast(&valid, 1, MPI_INT, 0, world.handle()), "MPI_Bcast");
    if (valid == 0)
        throw std::runtime_error(name_of(op) +
                                 ": no repetition was valid within the time budget; give more time "
                                 "(--budget) or a longer first window (--window)");
    return measured;
}

} // namespace workloads
