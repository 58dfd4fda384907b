// The total order (key, rank, index), by which no two items are equal. Pivots and samples carry it; the items
// themselves do not.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "sorting/item.hpp"

namespace goodsyard::sorting {

/// An item by its key and where it lies: at `index` of the sorted block of `rank`.
struct Position {
    Key key = 0;
    std::uint64_t rank = 0;
    std::uint64_t index = 0;

    friend auto operator<=>(const Position&, const Position&) = default;
};

/// How many items of `block`, which is sorted and lies on `rank`, come before `pivot`.
template <class Item>
std::uint64_t count_before(const std::vector<Item>& block, std::uint64_t rank, const Position& pivot) {
    if (rank == pivot.rank) {
        return pivot.index;
    }
    const auto below = [](const Item& item, Key key) { return key_of(item) < key; };
    const auto above = [](Key key, const Item& item) { return key < key_of(item); };
    const auto at = rank < pivot.rank ? std::upper_bound(block.begin(), block.end(), pivot.key, above)
                                      : std::lower_bound(block.begin(), block.end(), pivot.key, below);
    return static_cast<std::uint64_t>(at - block.begin());
}

/// The same with the pivot itself.
template <class Item>
std::uint64_t count_up_to(const std::vector<Item>& block, std::uint64_t rank, const Position& pivot) {
    return rank == pivot.rank ? pivot.index + 1 : count_before(block, rank, pivot);
}

} // namespace goodsyard::sorting
