// The litmus test: a broadcast along a binomial tree over point-to-point messages, whose cost is known to be
// (alpha + beta) log2 p. Where it does not grow like that, the machine is to blame, not the library's
// collectives.
#pragma once

#include "collectives/litmus_tree.hpp"
#include "mpi/session.hpp"

namespace goodsyard {

/// From rank 0 to all; `part` is this rank's.
void broadcast_along_tree(double* data, int count, const TreePart& part, const World& world);

} // namespace goodsyard
