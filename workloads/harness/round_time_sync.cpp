#include "harness/round_time_sync.hpp"

#include <algorithm>
#include <vector>

#include "harness/failure.hpp"
#include "harness/pace.hpp"

namespace goodsyard {

namespace {

constexpr int broadcasts = 5;
constexpr double shortest_ahead_s = 5e-6;

/// What a broadcast of a start takes, at most.
double broadcast_s(const Starting& starting) {
    double longest_s = 0;
    for (int i = 0; i < broadcasts; ++i) {
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
    const auto& [team, clock, model, oversubscribed, raw, check_each, drift_s] = starting_;
    team.broadcast(ahead_s_);
    if (ahead_s_ > longest_ahead_s_) {
        throw SharedFailure("no round is long enough: ranks still come late; give more time (--budget)");
    }
    Notes notes(starting_, operation, count);
    std::vector<double> needed_s;
    needed_s.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        notes.prepare();
        team.barrier();
        double start_s = model.global_s(clock.now_s()) + ahead_s_;
        team.broadcast(start_s);
        const double own_start_s = model.local_s(start_s);
        const double ready_s = clock.now_s();
        needed_s.push_back(ready_s - own_start_s + ahead_s_);
        clock.wait_until(own_start_s, oversubscribed);
        const Ran ran = timed_run(operation, clock);
        const bool late = began_late(starting_, start_s, ran.begin_s);
        notes.add(ran, ready_s > own_start_s ? Spoilt::not_ready : late ? Spoilt::began_late : Spoilt::no);
    }
    std::vector<double> most_s;
    team.to_root(Fold::max, needed_s, most_s);
    Batch batch = notes.collect();
    if (team.is_root()) {
        ahead_s_ = next_distance_s(ahead_s_, most_s, shortest_ahead_s);
    }
    return batch;
}

} // namespace goodsyard
