// A permutation of the vertices of a drawn graph, so that numbers say nothing of degrees (specification 3 of
// Graph500).
#pragma once

#include <cstdint>

namespace goodsyard::graph {

constexpr std::uint64_t reversed_bits(std::uint64_t x) {
    x = ((x >> 1) & 0x5555555555555555U) | ((x & 0x5555555555555555U) << 1);
    x = ((x >> 2) & 0x3333333333333333U) | ((x & 0x3333333333333333U) << 2);
    x = ((x >> 4) & 0x0F0F0F0F0F0F0F0FU) | ((x & 0x0F0F0F0F0F0F0F0FU) << 4);
    return __builtin_bswap64(x);
}

class Scramble {
  public:
    /// Of numbers of `scale` bits, 1 to 63; two words choose the permutation.
    constexpr Scramble(int scale, std::uint64_t first, std::uint64_t second)
        : shift_(64 - scale), sum_(first + second), first_(first | 0x4519840211493211U),
          second_(second | 0x3050852102C843A5U) {}

    [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t vertex) const {
        vertex += sum_;
        vertex *= first_;
        vertex = reversed_bits(vertex) >> shift_;
        vertex *= second_;
        return reversed_bits(vertex) >> shift_;
    }

  private:
    int shift_;
    std::uint64_t sum_;
    std::uint64_t first_;
    std::uint64_t second_;
};

} // namespace goodsyard::graph
