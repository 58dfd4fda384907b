// What tests of the global address space run through: ways to deal elements, and schedules drawn by a seed.
#pragma once

#include <array>

#include "global/distribution.hpp"
#include "harness/random.hpp"
#include "simulated_ranks.hpp"

namespace goodsyard::global {

inline constexpr std::array dealings = {Dealing::block, Dealing::cyclic, Dealing::block_cyclic};

/// What a schedule of a stress test draws by its seed.
struct Drawn {
    runtime::NetworkSettings network;
    runtime::Parameters parameters;
};
inline Drawn drawn(std::uint64_t seed, runtime::Execution execution) {
    constexpr std::array<std::int64_t, 3> lengths = {0, 64, 256};
    return {.network = {.ranks = 1 + static_cast<int>(seed % 8),
                        .seed = seed,
                        .longest_delay = static_cast<int>(mix64(seed) % 100)},
            .parameters = {.execution = execution,
                           .buffer_bytes = lengths[seed / 8 % 3],
                           .sends = 1 + static_cast<int>(seed / 24 % 3),
                           .active_tasks = seed % 5 == 0 ? 3U : 1000U,
                           .poll_interval = 1 + seed % 7,
                           .delegates_to_self = seed % 2 == 0}};
}

} // namespace goodsyard::global
