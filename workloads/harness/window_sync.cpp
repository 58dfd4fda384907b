#include "harness/window_sync.hpp"

#include <algorithm>
#include <string>

#include "harness/failure.hpp"

namespace workloads {

namespace {

struct Announcement {
    double start_s = 0;
    double window_s = 0;
};

} // namespace

Batch WindowSync::run(Operation& operation, int count) {
    const auto& [team, clock, model, oversubscribed, raw, check_each] = starting_;
    Announcement next{model.global_s(clock.now_s()) + window_.lead_s(), window_.length_s()};
    team.broadcast(next);
    if (next.window_s > longest_window_s_) {
        throw SharedFailure("no window is long enough: repetitions are still spoilt at " +
                            std::to_string(next.window_s) + " s, and the time budget is " +
                            std::to_string(longest_window_s_) + " s; give more time (--budget)");
    }
    Notes notes(starting_, operation, count);
    double last_end_s = 0;
    for (int i = 0; i < count; i++) {
        const double start_s = next.start_s + i * next.window_s;
        const double own_start_s = model.local_s(start_s);
        notes.prepare();
        const bool late = clock.now_s() > own_start_s;
        clock.wait_until(own_start_s, oversubscribed);
        const Ran ran = timed_run(operation, clock);
        const double end_s = model.global_s(ran.end_s);
        last_end_s = std::max(last_end_s, end_s - start_s);
        notes.add(ran, late || end_s > start_s + next.window_s);
    }
    const double slowest_s = team.to_root(Fold::max, last_end_s);
    Batch batch = notes.collect();
    if (team.is_root()) {
        window_.adapt(batch, slowest_s);
    }
    return batch;
}

} // namespace workloads
