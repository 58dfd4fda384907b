// What was measured of an operation, as lines and as a sentence for people.
#pragma once

#include <string>

#include "harness/operation.hpp"
#include "harness/repetitions.hpp"
#include "protocol/lines.hpp"

namespace goodsyard {

/// On the root. `quantity` begins the metrics: `latency` makes `latency_s`, `latency_quantile_s` and so on.
void report(const Lines& lines, const std::string& quantity, const std::string& name, Operation& operation,
            const Settings& settings, const Measured& measured);

/// The clock itself. On the root.
void report_timer(const Lines& lines, const Clock::Facts& facts, bool oversubscribed);

} // namespace goodsyard
