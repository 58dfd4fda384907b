// Asserts what a pool makes of the memory of objects, on values whose long-run cost is known.

#include "memory/growth.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace goodsyard {
namespace {

TEST(Growth, APieceThatEveryOtherObjectNeedsIsHalfInTheMeanAndNotInTheMedian) {
    const std::vector<double> bytes = {100, 500, 100, 500, 100, 500, 100};
    const auto result = growth(bytes, 7);
    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result->median_bytes, 100);
    EXPECT_DOUBLE_EQ(result->mean_bytes, 1900.0 / 7);
    EXPECT_EQ(result->jumps, 0);
}

TEST(Growth, APieceThatEveryOtherObjectNeedsCountsWhereTheOthersTakeNothing) {
    const auto result = growth({0, 500, 0, 500, 0, 500, 0}, 3);
    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result->mean_bytes, 1500.0 / 7);
    EXPECT_EQ(result->jumps, 0);
    EXPECT_DOUBLE_EQ(growth({-5, -5, -5}, 3)->mean_bytes, -5) << "a heap that shrinks is told as it is";
}

TEST(Growth, APoolThatGrowsOnceIsAJumpAndNotInTheMean) {
    const auto result = growth({100, 100, 50'000, 100, 100}, 5);
    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result->mean_bytes, 100);
    EXPECT_DOUBLE_EQ(result->jump_bytes, 49'900);
    EXPECT_EQ(result->jumps, 1);
}

TEST(Growth, TheMedianOfAnEvenNumberIsAValueThatOccurred) {
    EXPECT_DOUBLE_EQ(growth({4, 1, 3, 2}, 4)->median_bytes, 2);
}

TEST(Growth, ObjectsWithoutAnAllocationAreNotMeasurableRatherThanFree) {
    EXPECT_FALSE(growth({0, 0, 0}, 0));
    EXPECT_TRUE(growth({0, 0, 0}, 1)) << "allocated and freed: seen, and nothing was kept";
}

TEST(Growth, NoObjectsAreAMistake) {
    EXPECT_THROW(growth({}, 1), std::invalid_argument);
}

} // namespace
} // namespace goodsyard
