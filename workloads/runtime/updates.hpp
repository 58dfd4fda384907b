// The micro-kernels of bale (histogram, index gather, random permutation): small items to random places of a
// distributed table, and what they cost.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/entry.hpp"
#include "runtime/parameters.hpp"

namespace workloads::runtime {

struct Updates {
    std::uint64_t per_rank = 1'000'000;
    int table_bits = 14; ///< Entries of a rank's part, as a power of 2.
};

/// Increments, each an item of 8 bytes. Collective, as are the others.
std::unique_ptr<Operation> make_updates(const MpiContext& context, const Parameters& parameters,
                                        const Updates& asked);
/// Reads of the table, each a question and an answer of 16 bytes.
std::unique_ptr<Operation> make_gather(const MpiContext& context, const Parameters& parameters,
                                       const Updates& asked);
/// A random permutation of as many numbers as there would be updates.
std::unique_ptr<Operation> make_permutation(const MpiContext& context, const Parameters& parameters,
                                            const Updates& asked);

} // namespace workloads::runtime
