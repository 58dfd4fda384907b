// The micro-kernels of bale (histogram, index gather, random permutation): small items to random places of a
// distributed table, and what they cost.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/entry.hpp"
#include "mpi/host_memory.hpp"
#include "runtime/parameters.hpp"

namespace goodsyard::runtime {

struct Updates {
    std::uint64_t per_rank = 1'000'000;
    int table_bits = 14; ///< Entries of a rank's part, as a power of 2.
};

/// Increments, each an item of 8 bytes. Collective, as are the others.
/// Bytes of a rank's part of the table, and of so many words for each item. Raises SharedFailure where a host
/// lacks them. Collective.
inline void require_table(const World& world, const Updates& request, std::uint64_t words_of_item) {
    const auto entries = static_cast<double>(std::uint64_t{1} << static_cast<unsigned>(request.table_bits));
    const auto words = static_cast<double>(words_of_item * request.per_rank);
    require_memory(world, sizeof(std::uint64_t) * (entries + words), "the table and its items do",
                   "fewer --updates or --table-bits");
}

std::unique_ptr<Operation> make_updates(const MpiContext& context, const Parameters& parameters,
                                        const Updates& request);
/// Reads of the table, each a question and an answer of 16 bytes.
std::unique_ptr<Operation> make_gather(const MpiContext& context, const Parameters& parameters,
                                       const Updates& request);
/// A random permutation of as many numbers as there would be updates.
std::unique_ptr<Operation> make_permutation(const MpiContext& context, const Parameters& parameters,
                                            const Updates& request);

} // namespace goodsyard::runtime
