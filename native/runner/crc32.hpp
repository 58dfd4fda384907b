// CRC-32 as in ISO 3309 and zlib (reflected polynomial 0xEDB88320), so that Python checks with zlib.crc32.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace steelyard {

namespace detail {
consteval std::array<std::uint32_t, 256> make_crc32_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t remainder = byte;
        for (int bit = 0; bit < 8; ++bit) {
            remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0 ? 0xEDB88320U : 0U);
        }
        table[byte] = remainder;
    }
    return table;
}
inline constexpr std::array<std::uint32_t, 256> crc32_table = make_crc32_table();
} // namespace detail

/// A checksum that grows with the bytes given to it, in pieces of any size.
class Crc32 {
  public:
    void add(std::span<const char> bytes) {
        std::uint32_t remainder = remainder_;
        for (const char byte : bytes) {
            remainder = (remainder >> 8U) ^
                        detail::crc32_table[(remainder ^ static_cast<unsigned char>(byte)) & 0xFFU];
        }
        remainder_ = remainder;
    }
    [[nodiscard]] std::uint32_t value() const { return ~remainder_; }

  private:
    std::uint32_t remainder_ = ~0U;
};

} // namespace steelyard
