// Tasks that let each other go first: what a switch costs, there and back.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/entry.hpp"
#include "mpi/host_memory.hpp"
#include "runtime/parameters.hpp"

namespace goodsyard::runtime {

struct Switches {
    std::uint64_t tasks = 1000;
    std::uint64_t rounds = 1000; ///< In each of which every task goes on once.
};

/// Nothing where `parameters` have no tasks.
std::unique_ptr<Operation> make_switches(const MpiContext& context, const Parameters& parameters,
                                         const Switches& request);

} // namespace goodsyard::runtime
