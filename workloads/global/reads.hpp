// Blocking reads of 8 bytes at random places of other ranks, by many tasks at once: how much latency they
// hide.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/entry.hpp"
#include "mpi/host_memory.hpp"
#include "runtime/parameters.hpp"

namespace goodsyard::global {

struct Reads {
    std::uint64_t in_flight = 10'000; ///< Tasks of a rank, each of which waits for one read after the other.
    std::uint64_t of_task = 100;
    int table_bits = 14; ///< Elements of a rank's part, as a power of 2.
};

/// Nothing where `parameters` have no tasks with stacks. Collective.
std::unique_ptr<Operation> make_reads(const MpiContext& context, const runtime::Parameters& parameters,
                                      const Reads& request);

} // namespace goodsyard::global
