#include "crc32.hpp"

#include <gtest/gtest.h>
#include <string_view>

namespace steelyard {
namespace {

std::uint32_t checksum(std::string_view text) {
    Crc32 crc;
    crc.add(text);
    return crc.value();
}

// The check value of the catalogue of CRC algorithms for CRC-32/ISO-HDLC, which is zlib's.
TEST(Crc32, HasTheCheckValueOfItsDefinition) {
    EXPECT_EQ(checksum("123456789"), 0xCBF43926U);
}

TEST(Crc32, OfNothingIsZero) {
    EXPECT_EQ(checksum(""), 0U);
}

TEST(Crc32, DoesNotDependOnThePieces) {
    constexpr std::string_view text = "one frame, given piece by piece";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Crc32 crc;
        crc.add(text.substr(0, cut));
        crc.add(text.substr(cut));
        EXPECT_EQ(crc.value(), checksum(text));
    }
}

TEST(Crc32, ChangesWithEveryBit) {
    char text[] = "frame";
    const std::uint32_t before = checksum({text, 5});
    for (std::size_t byte = 0; byte < 5; ++byte) {
        for (int bit = 0; bit < 8; ++bit) {
            text[byte] = static_cast<char>(text[byte] ^ (1 << bit));
            EXPECT_NE(checksum({text, 5}), before);
            text[byte] = static_cast<char>(text[byte] ^ (1 << bit));
        }
    }
}

} // namespace
} // namespace steelyard
