#include "harness/window_sync.hpp"

#include <string>
#include <vector>

#include "harness/failure.hpp"

namespace goodsyard {

namespace {

struct Announcement {
    double start_s = 0;
    double window_s = 0;
};

} // namespace

Batch WindowSync::run(Operation& operation, int count) {
    const auto& [team, clock, model, oversubscribed, raw, check_each, drift_s] = starting_;
    Announcement next{model.global_s(clock.now_s()) + window_.lead_s(), window_.length_s()};
    team.broadcast(next);
    if (next.window_s > longest_window_s_) {
        throw SharedFailure("no window is long enough: repetitions are still spoilt at " +
                            std::to_string(next.window_s) + " s, and the time budget is " +
                            std::to_string(longest_window_s_) + " s; give more time (--budget)");
    }
    Notes notes(starting_, operation, count);
    std::vector<double> busy_s;
    busy_s.reserve(static_cast<std::size_t>(count));
    Ran ran;
    for (int i = 0; i < count; ++i) {
        const double start_s = next.start_s + i * next.window_s;
        const double own_start_s = model.local_s(start_s);
        notes.prepare();
        const double ready_s = clock.now_s();
        if (i > 0) {
            busy_s.push_back(ready_s - ran.begin_s);
        }
        clock.wait_until(own_start_s, oversubscribed);
        ran = timed_run(operation, clock);
        const bool fits = ready_s <= own_start_s && model.global_s(ran.end_s) <= start_s + next.window_s;
        const bool late = began_late(starting_, start_s, ran.begin_s);
        notes.add(ran, !fits ? Spoilt::not_ready : late ? Spoilt::began_late : Spoilt::no);
    }
    busy_s.push_back(ran.end_s - ran.begin_s);
    std::vector<double> slowest_s;
    team.to_root(Fold::max, busy_s, slowest_s);
    Batch batch = notes.collect();
    if (team.is_root()) {
        window_.adapt(batch, slowest_s);
    }
    return batch;
}

} // namespace goodsyard
