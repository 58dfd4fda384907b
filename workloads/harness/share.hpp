// Which of many things a rank has, where each has a run of them: sizes differ by one at most.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/team.hpp"

namespace goodsyard {

struct Share {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// The share of rank `rank` of `size` ranks in `total` things.
constexpr Share share_of(std::uint64_t total, int rank, int size) {
    const auto r = static_cast<std::uint64_t>(rank);
    const auto ranks = static_cast<std::uint64_t>(size);
    const std::uint64_t longer = total % ranks;
    return {r * (total / ranks) + std::min(r, longer), total / ranks + (r < longer ? 1 : 0)};
}

inline Share share_of(std::uint64_t total, const Team& team) {
    return share_of(total, team.rank(), team.size());
}

} // namespace goodsyard
