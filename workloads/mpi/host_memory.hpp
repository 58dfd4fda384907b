// The memory of a host, shared by its ranks.
#pragma once

#include <optional>
#include <string>

#include "mpi/session.hpp"

namespace workloads {

/// Bytes of the host for each of its ranks. Collective.
[[nodiscard]] double memory_of_rank(const World& world);

/// How much is lacking where each rank needs so many bytes, if anything is. Collective.
[[nodiscard]] std::optional<std::string> lacking_memory(const World& world, double bytes_of_rank);

} // namespace workloads
