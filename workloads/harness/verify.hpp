// Whether an operation does what it is called.
#pragma once

#include <string>

#include "harness/operation.hpp"

namespace goodsyard {

/// Run `operation` once, untimed, and check its outcome. Collective.
///
/// Raises SharedFailure with the first rank that found something wrong.
void verify(Operation& operation, const std::string& name, const Starting& starting);

} // namespace goodsyard
