#include "byte_reader.hpp"

#include <gtest/gtest.h>
#include <string>

namespace steelyard {
namespace {

TEST(ByteReader, ReadsValuesAndTextsInOrder) {
    std::string frame("\x02\x01\x00\x00\x03\x00\x00\x00"
                      "abc\0"
                      "\x7f",
                      13);
    ByteReader reader(frame);
    std::uint32_t number = 0;
    char* text = nullptr;
    std::uint32_t length = 0;
    std::uint8_t last = 0;
    EXPECT_TRUE(reader.read(number));
    EXPECT_EQ(number, 0x102U);
    EXPECT_TRUE(reader.read_text(text, length));
    EXPECT_STREQ(text, "abc");
    EXPECT_FALSE(reader.at_end());
    EXPECT_TRUE(reader.read(last));
    EXPECT_EQ(last, 0x7f);
    EXPECT_TRUE(reader.at_end());
}

TEST(ByteReader, RefusesWhatReachesPastTheEndAndStaysRefusing) {
    std::string frame("\x01\x02\x03", 3);
    ByteReader reader(frame);
    std::uint32_t number = 0;
    std::uint8_t byte = 0;
    EXPECT_FALSE(reader.read(number));
    EXPECT_FALSE(reader.read(byte)) << "a frame that failed once is not read further";
    EXPECT_FALSE(reader.at_end());
}

TEST(ByteReader, RefusesATextWithoutItsNul) {
    std::string frame("\x03\x00\x00\x00"
                      "abcd",
                      8);
    ByteReader reader(frame);
    char* text = nullptr;
    std::uint32_t length = 0;
    EXPECT_FALSE(reader.read_text(text, length));
}

TEST(ByteReader, RefusesATextWithANulInside) {
    std::string frame("\x03\x00\x00\x00"
                      "a\0c\0",
                      8);
    ByteReader reader(frame);
    char* text = nullptr;
    std::uint32_t length = 0;
    EXPECT_FALSE(reader.read_text(text, length));
}

TEST(ByteReader, RefusesALengthBeyondTheFrame) {
    std::string frame("\xff\xff\xff\xff"
                      "abc\0",
                      8);
    ByteReader reader(frame);
    char* text = nullptr;
    std::uint32_t length = 0;
    EXPECT_FALSE(reader.read_text(text, length));
}

} // namespace
} // namespace steelyard
