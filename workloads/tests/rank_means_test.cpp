// Asserts that means go over repetitions first, then over ranks.

#include "harness/rank_means.hpp"

#include <gtest/gtest.h>

namespace goodsyard {
namespace {

TEST(RankMeans, TheSlowestRankIsTheOneOfTheLargestMeanAndNotTheMeanOfTheLargest) {
    // Three repetitions of two ranks, of which each is the slower one now and then.
    const RankMeans means = rank_means({1, 4, 6, 2, 2, 3}, 3);
    EXPECT_DOUBLE_EQ(means.all_s, 3);
    EXPECT_DOUBLE_EQ(means.slowest_s, 3);
    EXPECT_DOUBLE_EQ(rank_means({1, 4, 1, 4, 1, 4}, 3).slowest_s, 4);
    EXPECT_DOUBLE_EQ(rank_means({1, 4, 1, 4, 1, 4}, 3).all_s, 2.5);
}

TEST(RankMeans, HalfARepetitionIsRefused) {
    EXPECT_THROW(rank_means({1, 2, 3}, 2), std::invalid_argument);
    EXPECT_THROW(rank_means({}, 0), std::invalid_argument);
}

} // namespace
} // namespace goodsyard
