// The memory of a host, shared by its ranks.
#pragma once

#include <string>

#include "mpi/session.hpp"

namespace goodsyard {

/// Bytes of the host for each of its ranks. Collective.
[[nodiscard]] double memory_of_rank(const World& world);

/// Raise SharedFailure where this rank's bytes, times the ranks of its host, are more than its memory: "the
/// graph does" not fit, and what would help. Collective.
void require_memory(const World& world, double bytes_of_rank, const std::string& what_does,
                    const std::string& cure);

} // namespace goodsyard
