// Tasks that do nothing: what it costs to spawn one, to begin it and to end it.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/entry.hpp"
#include "runtime/parameters.hpp"
#include "runtime/switches.hpp"

namespace goodsyard::runtime {

/// As many tasks in each round as would be active. Nothing where `parameters` have no tasks with stacks.
std::unique_ptr<Operation> make_spawns(const MpiContext& context, const Parameters& parameters,
                                       const Switches& request);

} // namespace goodsyard::runtime
