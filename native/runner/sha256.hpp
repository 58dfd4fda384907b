// SHA-256 as in FIPS 180-4, section 6.2, so that Python and sha256sum compute the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace steelyard {

/// A digest that grows with the bytes given to it, in pieces of any size.
class Sha256 {
  public:
    using Digest = std::array<std::uint8_t, 32>;

    void add(std::span<const char> bytes);
    /// Of everything that was added; nothing is to be added afterwards.
    Digest finish();

  private:
    void compress(const std::uint8_t* block);

    static constexpr std::size_t block_bytes = 64;
    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, block_bytes> pending_{};
    std::uint64_t bytes_ = 0;
};

} // namespace steelyard
