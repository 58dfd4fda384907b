// The linear congruential generator of the NAS benchmarks [1, section 2.3]: x <- a x mod 2^46, a = 5^13, and
// r = x 2^-46 in (0, 1).
//
// Encoding: x is an unsigned 64-bit integer. 2^46 divides 2^64, so a product that wraps is still right modulo
// 2^46 and one `and` reduces it; the double-double arithmetic of the specification gives the same x. Skipping
// n numbers multiplies by a^n, found in log2 n squarings, so that threads start anywhere in the sequence.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
#pragma once

#include <cstdint>

namespace goodsyard::npb {

class Random {
  public:
    static constexpr std::uint64_t multiplier = 1220703125; ///< 5^13
    static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
    static constexpr double unit = 0x1p-46;
    static constexpr std::uint64_t seed = 314159265; ///< Of all kernels but EP.

    /// The sequence that follows `start`, after its first `skipped` numbers.
    constexpr explicit Random(std::uint64_t start = seed, std::uint64_t skipped = 0)
        : x_(start * power(skipped) & mask) {}

    /// The next number, in (0, 1).
    constexpr double operator()() {
        x_ = x_ * multiplier & mask;
        return unit * static_cast<double>(static_cast<std::int64_t>(x_));
    }

    /// The integer behind the last number.
    [[nodiscard]] constexpr std::uint64_t state() const { return x_; }

    /// a^n mod 2^46.
    static constexpr std::uint64_t power(std::uint64_t n) {
        std::uint64_t result = 1;
        for (std::uint64_t square = multiplier; n != 0; n >>= 1, square = square * square & mask) {
            if (n & 1) {
                result = result * square & mask;
            }
        }
        return result;
    }

  private:
    std::uint64_t x_;
};

} // namespace goodsyard::npb
