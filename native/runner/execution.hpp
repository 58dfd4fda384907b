// One process from its start to its end, with the clock around it.
#pragma once

#include "capture.hpp"
#include "clock.hpp"
#include "launch.hpp"
#include "process_tree.hpp"
#include "record.hpp"
#include "surroundings.hpp"
#include "trial_group.hpp"

namespace steelyard {

enum class Purpose : std::uint8_t {
    trial,   ///< measured
    prepare, ///< untimed, before a trial
    cleanup, ///< untimed, after it; a request to stop gives it one second, because it gives back what prepare
             ///< took
    block,   ///< untimed, before or after a block
    leave,   ///< untimed, puts back what beginning a level changed; a request to stop gives it a minute
};

/// How long a command may go on once a stop was asked for; the guard loses patience later than this.
constexpr std::int64_t stop_patience_ns(Purpose purpose) {
    switch (purpose) {
    case Purpose::cleanup:
        return 1 * ns_per_s;
    case Purpose::leave:
        return 60 * ns_per_s;
    default:
        return 0;
    }
}

/// Fills the measured fields of `record` (identity and outputs are the caller's) and, for a trial that asks
/// for them, the values of the counters. False when it was stopped: then the record means nothing. What the
/// process left running is still running. A program whose `group` the kernel does not clone into runs
/// without.
bool execute(const Launch& launch, Surroundings& surroundings, Captures& captures, Purpose purpose,
             TrialGroup& group, Record& record, CounterValue* counters);

} // namespace steelyard
