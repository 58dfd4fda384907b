#include "decimal.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace steelyard {
namespace {

TEST(ShortPath, PutsTextAndNumbersTogether) {
    EXPECT_STREQ(ShortPath().add("/proc/").add(std::uint64_t{10}).add("/stat").c_str(), "/proc/10/stat");
    EXPECT_STREQ(ShortPath().add(std::uint64_t{0}).c_str(), "0");
    EXPECT_STREQ(ShortPath().add(std::numeric_limits<std::uint64_t>::max()).c_str(), "18446744073709551615");
}

TEST(ShortPath, CutsWhatDoesNotFit) {
    EXPECT_EQ(std::string(ShortPath().add(std::string(100, 'x')).c_str()).size(), 63U);
}

TEST(TakeNumber, TakesOneNumberAtATime) {
    std::string_view text = " 12\n 7x";
    std::uint64_t number = 0;
    EXPECT_TRUE(take_number(text, number));
    EXPECT_EQ(number, 12U);
    EXPECT_TRUE(take_number(text, number));
    EXPECT_EQ(number, 7U);
    EXPECT_FALSE(take_number(text, number)) << "x is no number";
}

TEST(WriteFixedWidth, FillsWithZerosAndRefusesWhatIsTooLong) {
    char digits[] = "????";
    EXPECT_TRUE(write_fixed_width(digits, 4, 42));
    EXPECT_STREQ(digits, "0042");
    EXPECT_TRUE(write_fixed_width(digits, 4, 9999));
    EXPECT_STREQ(digits, "9999");
    EXPECT_FALSE(write_fixed_width(digits, 4, 10000));
}

} // namespace
} // namespace steelyard
