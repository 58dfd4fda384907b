// One operation from warm-up to result: repeat until the reported quantile is known, time or number run out.
#pragma once

#include <string>

#include "harness/repetitions.hpp"

namespace goodsyard {

/// Collective. Raises SharedFailure where a result is wrong or no repetition is valid within the budget.
Measured measure(Operation& operation, const std::string& name, const Settings& settings, Starting starting);

} // namespace goodsyard
