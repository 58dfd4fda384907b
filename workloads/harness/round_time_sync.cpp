#include "harness/round_time_sync.hpp"

#include <algorithm>

#include "harness/failure.hpp"

namespace workloads {

namespace {

constexpr int broadcasts = 5;
constexpr double shortest_ahead_s = 5e-6;
constexpr double flawed_share = 0.25;

/// What a broadcast of a start takes, at most.
double broadcast_s(const Starting& starting) {
    double longest_s = 0;
    for (int i = 0; i < broadcasts; i++) {
        starting.team.barrier();
        const double begin_s = starting.clock.now_s();
        double value = 0;
        starting.team.broadcast(value);
        longest_s = std::max(longest_s, starting.clock.now_s() - begin_s);
    }
    return starting.team.all(Fold::max, longest_s);
}

} // namespace

RoundTimeSync::RoundTimeSync(const Starting& starting, double factor, double budget_s)
    : starting_(starting), longest_ahead_s_(budget_s),
      ahead_s_(std::max(shortest_ahead_s, factor * broadcast_s(starting))) {}

Batch RoundTimeSync::run(Operation& operation, int count) {
    const auto& [team, clock, model, oversubscribed, raw, check_each] = starting_;
    team.broadcast(ahead_s_);
    if (ahead_s_ > longest_ahead_s_) {
        throw SharedFailure("no round is long enough: ranks still come late; give more time (--budget)");
    }
    Notes notes(starting_, operation, count);
    for (int i = 0; i < count; i++) {
        notes.prepare();
        team.barrier();
        double start_s = model.global_s(clock.now_s()) + ahead_s_;
        team.broadcast(start_s);
        const double own_start_s = model.local_s(start_s);
        const bool late = clock.now_s() > own_start_s;
        clock.wait_until(own_start_s, oversubscribed);
        const Ran ran = timed_run(operation, clock);
        notes.add(ran, late);
    }
    Batch batch = notes.collect();
    const auto flawed = std::count_if(batch.spoilt.begin(), batch.spoilt.end(), [](int s) { return s != 0; });
    if (static_cast<double>(flawed) >= flawed_share * count && team.is_root()) {
        ahead_s_ *= 2;
    }
    return batch;
}

} // namespace workloads
