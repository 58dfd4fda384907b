// Whether an operation does what it is called; asserts:
// - every element of every buffer that is written has the value that follows from the ranks that sent it;
// - nobody leaves a barrier long before the last rank, which comes late on purpose.
#pragma once

#include "collectives/batch.hpp"

namespace workloads {

/// Run `operation` once on spoilt buffers and check it. Collective.
///
/// Raises std::runtime_error on every rank, with the first rank that found something, when a result is wrong.
void verify(Operation& operation, Op op, const Timing& timing);

} // namespace workloads
