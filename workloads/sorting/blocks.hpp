// How many items each rank has: equally many as a result, and as input also unequally many, or none.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/random.hpp"

namespace goodsyard::sorting {

/// ⌊i n / p⌋, where block i of equal ones begins. Fits for all n < 2^64 / p.
constexpr std::uint64_t first_of_block(std::uint64_t i, std::uint64_t total, std::uint64_t ranks) {
    return total / ranks * i + total % ranks * i / ranks;
}

/// What of the input a rank has at first.
enum class Blocks : int {
    even,   ///< equally many items
    uneven, ///< 0 to 4 parts, drawn by the seed
    holes,  ///< odd ranks have nothing
};

/// Where the blocks of all ranks begin in `total` items, and the end.
inline std::vector<std::uint64_t> cut_into_blocks(Blocks blocks, std::uint64_t total, int ranks,
                                                  std::uint64_t seed) {
    constexpr std::uint64_t stream = 3;
    const Random random(seed, stream);
    std::vector<std::uint64_t> parts = {0};
    for (std::uint64_t r = 0; r < static_cast<std::uint64_t>(ranks); ++r) {
        const std::uint64_t local = blocks == Blocks::uneven  ? random.below(5, r)
                                    : blocks == Blocks::holes ? 1 - r % 2
                                                              : 1;
        parts.push_back(parts.back() + local);
    }
    if (parts.back() == 0) { // All drew 0: the last has everything.
        parts.back() = 1;
    }
    std::vector<std::uint64_t> begin;
    for (const std::uint64_t value : parts) {
        begin.push_back(first_of_block(value, total, parts.back()));
    }
    return begin;
}

} // namespace goodsyard::sorting
