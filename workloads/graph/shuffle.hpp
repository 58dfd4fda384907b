// A permutation of the numbers below n that nothing in their order survives, and its inverse.
#pragma once

#include <bit>
#include <cstdint>

#include "harness/random.hpp"

namespace goodsyard::graph {

/// By a network of Feistel's on twice as many bits as half of a number needs; an image that is n or more is
/// put through it again until it is less (cycle-walking: Black and Rogaway, CT-RSA 2002,
/// DOI 10.1007/3-540-45760-7_9). The domain is less than four times n, so that few steps are needed.
class Shuffle {
  public:
    /// `numbers` is positive.
    explicit Shuffle(std::uint64_t numbers)
        : numbers_(numbers), half_bits_((static_cast<int>(std::bit_width(numbers - 1)) + 1) / 2),
          half_mask_((std::uint64_t{1} << half_bits_) - 1) {}

    [[nodiscard]] std::uint64_t operator()(std::uint64_t number) const {
        do {
            for (std::uint64_t round = 0; round < rounds; ++round) {
                const std::uint64_t low = number & half_mask_;
                number = (low << half_bits_) | ((number >> half_bits_) ^ drawn(low, round));
            }
        } while (number >= numbers_);
        return number;
    }
    [[nodiscard]] std::uint64_t inverse(std::uint64_t number) const {
        do {
            for (std::uint64_t round = rounds; round-- > 0;) {
                const std::uint64_t high = number >> half_bits_;
                number = (((number & half_mask_) ^ drawn(high, round)) << half_bits_) | high;
            }
        } while (number >= numbers_);
        return number;
    }

  private:
    static constexpr std::uint64_t rounds = 4;
    [[nodiscard]] std::uint64_t drawn(std::uint64_t half, std::uint64_t round) const {
        return mix64(half * rounds + round + 1) & half_mask_;
    }

    std::uint64_t numbers_;
    int half_bits_;
    std::uint64_t half_mask_;
};

} // namespace goodsyard::graph
