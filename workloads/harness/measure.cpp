#include "harness/measure.hpp"

#include <algorithm>

#include "harness/computation.hpp"
#include "harness/failure.hpp"
#include "harness/synchroniser.hpp"
#include "harness/verify.hpp"

namespace goodsyard {

namespace {

// In a simulation one run is as the other, and costs real time.
int warm_timings() {
    return machine_is_simulated() ? 1 : 3;
}
// What only goes wrong in haste, or after many runs, is seen at the end.
bool verifies_again() {
    return !machine_is_simulated();
}
/// Share of the budget after which no further run goes before the first that counts.
constexpr double warm_share = 0.1;

/// The longest of some repetitions after a barrier: what the first window is made from.
double rough_duration_s(Operation& operation, const Settings& settings, const Starting& starting) {
    double longest_s = 0;
    double spent_s = 0;
    const int timings = warm_timings();
    for (int i = 0; i < timings && spent_s <= warm_share * settings.budget_s; ++i) {
        operation.prepare();
        starting.team.barrier();
        const Ran ran = timed_run(operation, starting.clock);
        const double slowest_s = starting.team.all(Fold::max, ran.end_s - ran.begin_s);
        longest_s = std::max(longest_s, slowest_s);
        spent_s += slowest_s;
    }
    return longest_s;
}

} // namespace

Measured measure(Operation& operation, const std::string& name, const Settings& settings, Starting starting) {
    const Team& team = starting.team;
    const bool check_around = settings.verify && !operation.checks_each();
    starting.check_each = settings.verify && operation.checks_each();
    if (check_around) {
        verify(operation, name, starting);
    }
    for (int i = 0; i < settings.warmup; ++i) {
        operation.prepare();
        operation.run();
    }
    const double rough_s = rough_duration_s(operation, settings, starting);
    const auto synchroniser = make_synchroniser(settings, starting, rough_s);

    Measured measured;
    const double begin_s = starting.clock.now_s();
    for (;;) {
        int count =
            team.is_root() ? next_batch(measured, settings, starting.clock.now_s() - begin_s, rough_s) : 0;
        team.broadcast(count);
        if (count == 0) {
            break;
        }
        const Batch batch = synchroniser->run(operation, count);
        if (team.is_root()) {
            keep_valid(batch, static_cast<std::size_t>(team.size()), measured);
        }
    }
    measured.facts = operation.facts();
    if (check_around && verifies_again()) {
        verify(operation, name, starting);
    }
    measured.window_s = synchroniser->window_s();
    // What is stated of the clocks is held to what they are by now.
    measured.clock_drift_s = team.to_root(Fold::max, starting.drift_s ? starting.drift_s() : 0.0);
    measured.clock_error_s = std::max(largest_error95_s(starting), measured.clock_drift_s);
    int valid = static_cast<int>(measured.longest_s.size());
    team.broadcast(valid);
    if (valid == 0) {
        throw SharedFailure(name +
                            ": no repetition was valid within the time budget; give more time (--budget)" +
                            (team.size() > 1 ? " or a longer first window (--window)" : ""));
    }
    return measured;
}

} // namespace goodsyard
