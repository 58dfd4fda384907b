// One process from its start to its end, with the clock around it.
#pragma once

#include "capture.h"
#include "launch.h"
#include "process_tree.h"
#include "record.h"
#include "surroundings.h"

namespace steelyard {

struct ExecutionOptions {
    /// Cut short by a request to stop. Cleanup is not: it gives back what prepare took.
    bool may_be_stopped = true;
};

/// Fills the measured fields of `record` (identity and outputs are the caller's) and, where they are asked
/// for, the values of the counters. False when it was stopped: then the record means nothing. What the
/// process left running is still running.
bool execute(const Launch& launch, Surroundings& surroundings, Captures& captures, ExecutionOptions options,
             Record& record, CounterValue* counters);

} // namespace steelyard
