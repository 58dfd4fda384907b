// What a set of values is, whatever their order and wherever they are: to see that a distributed program has
// lost, doubled and changed nothing.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "harness/random.hpp"
#include "harness/team.hpp"

namespace goodsyard {

/// The bits of a value, as a number.
template <class T>
    requires(std::is_arithmetic_v<T>)
constexpr std::uint64_t bits_of(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
            return std::bit_cast<std::uint32_t>(value);
        } else {
            return std::bit_cast<std::uint64_t>(value);
        }
    } else {
        return static_cast<std::uint64_t>(value);
    }
}

/// Count, sum and exclusive or see a change of one value; the sum of mixed values sees two that cancel out,
/// but for one case in 2^64. Sums wrap.
struct Checksum {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    std::uint64_t exclusive_or = 0;
    std::uint64_t mixed = 0;

    constexpr void add(std::uint64_t value) {
        ++count;
        sum += value;
        exclusive_or ^= value;
        mixed += mix64(value);
    }

    friend constexpr bool operator==(const Checksum&, const Checksum&) = default;
};

/// Of the values of this process.
template <class T>
constexpr Checksum checksum(std::span<const T> values) {
    Checksum found;
    for (const T& value : values) {
        found.add(bits_of(value));
    }
    return found;
}

/// Of the values of all ranks, on all ranks. Collective.
inline Checksum of_all(const Team& team, const Checksum& local) {
    return {team.all(Fold::sum, local.count), team.all(Fold::sum, local.sum),
            team.all(Fold::exclusive_or, local.exclusive_or), team.all(Fold::sum, local.mixed)};
}

} // namespace goodsyard
