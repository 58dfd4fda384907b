// What the phases of MAFIA did, counted: the same on every machine, with any number of threads.
#pragma once

#include <cstdint>

namespace goodsyard::mafia {

struct Counts {
    std::uint64_t candidates = 0;   ///< units whose points were counted
    std::uint64_t dense = 0;        ///< of these, the dense ones
    std::uint64_t pairs = 0;        ///< gen: pairs of units looked at
    std::uint64_t merges = 0;       ///< gen: pairs that made a candidate, duplicates included
    std::uint64_t comparisons = 0;  ///< dedup: pairs of candidates compared
    std::uint64_t words = 0;        ///< pcount: words of bitmaps ANDed
    std::uint64_t coordinates = 0;  ///< pcount without bitmaps: coordinates compared with a window
    std::uint64_t subsequences = 0; ///< unjoin: units made by leaving a window out
    std::uint64_t inclusions = 0;   ///< unjoin, naive: pairs of units compared
};

} // namespace goodsyard::mafia
