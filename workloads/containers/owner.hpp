// Which rank has a key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/random.hpp"

namespace goodsyard::containers {

/// By a hash of the key, mixed: a std::hash of an integer is often the integer.
template <class Key, class Hash>
[[nodiscard]] int owner_of(const Key& key, int ranks) {
    return static_cast<int>(mix64(static_cast<std::uint64_t>(Hash{}(key))) %
                            static_cast<std::uint64_t>(ranks));
}

} // namespace goodsyard::containers
