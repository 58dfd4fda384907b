#include "timing/clock_tree.hpp"

#include <gtest/gtest.h>
#include <set>

namespace goodsyard {
namespace {

class ClockTree : public testing::TestWithParam<int> {};

TEST_P(ClockTree, EveryRankLearnsOnceFromOneThatKnows) {
    std::set<int> knowing = {0};
    for (const auto& round : clock_rounds(GetParam())) {
        std::set<int> busy;
        std::set<int> learnt;
        for (const ClockPair& pair : round) {
            EXPECT_TRUE(knowing.contains(pair.parent)) << "rank " << pair.parent << " knows nothing yet";
            EXPECT_FALSE(knowing.contains(pair.child)) << "rank " << pair.child << " is taught twice";
            EXPECT_TRUE(busy.insert(pair.parent).second && busy.insert(pair.child).second);
            learnt.insert(pair.child);
        }
        knowing.merge(learnt);
    }
    EXPECT_EQ(knowing.size(), static_cast<std::size_t>(GetParam()));
}

TEST_P(ClockTree, RoundsAreLogarithmic) {
    const int ranks = GetParam();
    int needed = 0;
    while (1 << needed < ranks) {
        ++needed;
    }
    EXPECT_EQ(clock_rounds(ranks).size(), static_cast<std::size_t>(needed));
}

INSTANTIATE_TEST_SUITE_P(Ranks, ClockTree, testing::Values(1, 2, 3, 4, 5, 7, 8, 31, 64, 100));

} // namespace
} // namespace goodsyard
