#include "collectives/round_time_sync.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "mpi/check.hpp"

namespace workloads {

namespace {

constexpr int broadcasts = 5;
constexpr double shortest_ahead_s = 5e-6;
constexpr double flawed_share = 0.25;

/// What a broadcast of a start takes, at most.
double broadcast_s(const Timing& timing) {
    double longest_s = 0;
    for (int i = 0; i < broadcasts; i++) {
        check(MPI_Barrier(timing.world.handle()), "MPI_Barrier");
        const double begin_s = timing.clock.now_s();
        double value = 0;
        check(MPI_Bcast(&value, 1, MPI_DOUBLE, 0, timing.world.handle()), "MPI_Bcast");
        longest_s = std::max(longest_s, timing.clock.now_s() - begin_s);
    }
    double slowest_s = 0;
    check(MPI_Allreduce(&longest_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, timing.world.handle()),
          "MPI_Allreduce");
    return slowest_s;
}

} // namespace

RoundTimeSync::RoundTimeSync(Timing timing, double factor, double budget_s)
    : timing_(std::move(timing)), longest_ahead_s_(budget_s),
      ahead_s_(std::max(shortest_ahead_s, factor * broadcast_s(timing_))) {}

Batch RoundTimeSync::run(Operation& operation, int count) {
    const Clock& clock = timing_.clock;
    check(MPI_Bcast(&ahead_s_, 1, MPI_DOUBLE, 0, timing_.world.handle()), "MPI_Bcast");
    if (ahead_s_ > longest_ahead_s_)
        throw std::runtime_error("no round is long enough: ranks still come late; give more time (--budget)");
    std::vector<double> took_s(static_cast<std::size_t>(count));
    std::vector<int> spoilt(took_s.size());
    for (std::size_t i = 0; i < took_s.size(); i++) {
        check(MPI_Barrier(timing_.world.handle()), "MPI_Barrier");
        double start_s = timing_.model.global_s(clock.now_s()) + ahead_s_;
        check(MPI_Bcast(&start_s, 1, MPI_DOUBLE, 0, timing_.world.handle()), "MPI_Bcast");
        const double own_start_s = timing_.model.local_s(start_s);
        spoilt[i] = clock.now_s() > own_start_s;
        clock.wait_until(own_start_s, timing_.oversubscribed);
        const double begin_s = clock.now_s();
        operation.run();
        took_s[i] = clock.now_s() - begin_s;
    }
    Batch batch = collect(timing_, took_s, spoilt);
    const auto flawed = std::count_if(batch.spoilt.begin(), batch.spoilt.end(), [](int s) { return s != 0; });
    if (static_cast<double>(flawed) >= flawed_share * count && timing_.world.is_root())
        ahead_s_ *= 2;
    return batch;
}

} // namespace workloads
