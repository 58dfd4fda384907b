// Where the rank that is this process is in an epoch: other ranks would wait there for what it does
// elsewhere.
#pragma once

#include <source_location>

namespace goodsyard {

/// Null: it is in none, or its ranks are several.
inline const std::source_location* epoch_of_process = nullptr;

} // namespace goodsyard
