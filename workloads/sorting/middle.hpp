// The middle of many values by a binomial tree of which every node passes on the two in the middle.
//
// Axtmann, Sanders: Robust massively parallel sorting, ALENEX 2017, DOI 10.1137/1.9781611974768.7, section
// III: the k middle ones of what a node has and gets; a random bit decides which side an odd one is left out
// of.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "harness/random.hpp"
#include "sorting/position.hpp"

namespace goodsyard::sorting {

/// Up to two values, ascending.
struct Middle {
    std::uint64_t count = 0;
    std::array<Position, 2> values;

    void add(const Position& value) { values[count++] = value; }
};

/// Random bits of one rank, in the order in which it asks.
class RandomBits {
  public:
    RandomBits(std::uint64_t seed, int rank) : random_(seed, static_cast<std::uint64_t>(rank) + 1) {}
    bool next() { return (random_.bits(next_++) & 1U) != 0; }

  private:
    Random random_;
    std::uint64_t next_ = 0;
};

/// The two in the middle of both.
inline Middle merged(const Middle& a, const Middle& b, RandomBits& bits) {
    std::array<Position, 4> all;
    const auto end =
        std::merge(a.values.begin(), a.values.begin() + static_cast<std::ptrdiff_t>(a.count),
                   b.values.begin(), b.values.begin() + static_cast<std::ptrdiff_t>(b.count), all.begin());
    const auto count = static_cast<std::size_t>(end - all.begin());
    Middle middle;
    const std::size_t surplus = count > 2 ? count - 2 : 0;
    const std::size_t first = surplus / 2 + (surplus % 2 == 1 && bits.next() ? 1 : 0);
    for (std::size_t i = first; i < std::min(first + 2, count); ++i) {
        middle.add(all[i]);
    }
    return middle;
}

/// One of what the root has; it must have any.
inline Position chosen(const Middle& middle, RandomBits& bits) {
    return middle.values[middle.count == 2 && bits.next() ? 1 : 0];
}

} // namespace goodsyard::sorting
