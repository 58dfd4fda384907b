// The litmus test: a broadcast along a binomial tree over point-to-point messages, whose cost is known to be
// (alpha + beta) log2 p. Where it does not grow like that, the machine is to blame, not the library's
// collectives.
//
// Chan, Heimlich, Purkayastha, van de Geijn: Collective communication, 2007, DOI 10.1002/cpe.1206,
// section 4.1.
#pragma once

#include "mpi/session.hpp"

namespace workloads {

/// From rank 0 to all. A rank hears from the rank without its highest bit, then tells those with one more.
void broadcast_along_binomial_tree(double* data, int count, const World& world);

} // namespace workloads
