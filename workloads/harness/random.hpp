// Numbers by seed, stream and index: index i gives the same, whatever else was drawn and
// however many ranks there are.
//
// Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014,
// DOI 10.1145/2660193.2660195 (SplitMix64). Its state only counts, so that any index is reached at once.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace goodsyard {

/// A bijection of 64 bits in which every bit of the argument moves every bit of the value.
constexpr std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

class Random {
  public:
    /// Stream 0 of a seed is SplitMix64 as published; other streams begin elsewhere in its sequence.
    explicit constexpr Random(std::uint64_t seed, std::uint64_t stream = 0)
        : state_(stream == 0 ? seed : mix64(seed ^ mix64(stream))) {}

    /// 64 uniform bits.
    [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t index) const {
        return mix64(state_ + (index + 1) * 0x9E3779B97F4A7C15U);
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    [[nodiscard]] constexpr double unit(std::uint64_t index) const {
        return static_cast<double>(bits(index) >> 11) * 0x1p-53;
    }

    /// Uniform in 0 … limit - 1, by the upper half of a product: no value is off by more than limit / 2^64.
    [[nodiscard]] constexpr std::uint64_t below(std::uint64_t limit, std::uint64_t index) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(bits(index)) * limit) >> 64);
    }

    /// Standard normal, from the numbers 2 index and 2 index + 1 of the stream (Box and Muller 1958).
    [[nodiscard]] double normal(std::uint64_t index) const {
        const double radius = std::sqrt(-2 * std::log1p(-unit(2 * index)));
        return radius * std::cos(2 * std::numbers::pi * unit(2 * index + 1));
    }

  private:
    std::uint64_t state_;
};

} // namespace goodsyard
