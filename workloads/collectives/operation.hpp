// The collective operations of MPI, each on its own buffers and with a check of what it did.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mpi/entry.hpp"

namespace goodsyard {

/// What the operations of this family are made with.
struct CollectiveOptions {
    int bytes = 800; ///< Message of one rank; a multiple of 8, so that reductions of doubles have a meaning.
    int most_ranks = 0; ///< Gather, Allgather and Alltoall are left out above; 0: never.
};

/// Measured unless others are named: seven operations and the litmus test.
inline const std::vector<std::string> usual_operations = {"barrier", "bcast",     "reduce",   "allreduce",
                                                          "gather",  "allgather", "alltoall", "litmus"};

/// All of them: the usual ones, and those of the performance guidelines with their mock-ups; `options` must
/// outlive what is returned.
std::vector<Family<MpiContext>::Entry> collective_operations(const CollectiveOptions& options);

} // namespace goodsyard
