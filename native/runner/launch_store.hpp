// The launches that Python has defined, kept in a file of memory and not in ours: a thousand environments
// would otherwise be the floor of every child's peak memory.
#pragma once

#include <cstdint>

#include "arena.hpp"
#include "launch.hpp"

namespace steelyard {

class LaunchStore {
  public:
    /// 0 or errno.
    int create();

    /// Takes the next `bytes` of `orders` as the definition of `id`; ids count up from 0. 0, or errno (EPROTO
    /// when the id is not the next one).
    int define(std::uint32_t id, std::uint64_t bytes, int orders);

    /// Forgets all definitions.
    int clear();

    /// Decodes a definition into a launch whose texts live in `arena`. Null, or what is wrong.
    const char* load(std::uint32_t id, Launch& launch, Arena& arena) const;

  private:
    int texts_fd_ = -1;  ///< the definitions, one after another
    int places_fd_ = -1; ///< where each of them is
    std::uint64_t end_ = 0;
    std::uint32_t count_ = 0;
};

} // namespace steelyard
