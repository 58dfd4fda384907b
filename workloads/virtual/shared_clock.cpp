// timing/shared_clock.hpp where all ranks read one time.
#include "timing/shared_clock.hpp"

#include "harness/failure.hpp"

namespace goodsyard {

ClockMethod chosen(ClockMethod method, const World& /*world*/, const Clock& /*clock*/) {
    if (method != ClockMethod::automatic && method != ClockMethod::one) {
        throw UsageError("--clocks: ranks in virtual time share a clock; one, or leave it out");
    }
    return ClockMethod::one;
}

ClockModel synchronise(const World& /*world*/, const Clock& /*clock*/, ClockMethod /*method*/,
                       const ClockEffort& /*effort*/) {
    return {};
}

double clock_drift_s(const World& /*world*/, const Clock& /*clock*/, const ClockModel& /*model*/,
                     ClockMethod /*method*/, const ClockEffort& /*effort*/) {
    return 0;
}

} // namespace goodsyard
