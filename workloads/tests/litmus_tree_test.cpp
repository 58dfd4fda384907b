#include "collectives/litmus_tree.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace goodsyard {
namespace {

class LitmusTree : public testing::TestWithParam<int> {};

TEST_P(LitmusTree, ReachesEveryRankOnceInLogarithmicallyManyRounds) {
    const int ranks = GetParam();
    // When a rank has the data, if a message takes one round and a rank sends one after the other.
    std::vector<int> has(static_cast<std::size_t>(ranks), -1);
    has[0] = 0;
    int last = 0;
    // Parents have smaller ranks.
    for (int rank = 0; rank < ranks; ++rank) {
        const TreePart part = tree_part(rank, ranks);
        ASSERT_GE(has[static_cast<std::size_t>(rank)], 0)
            << "rank " << rank << " is told by nobody before it";
        int round = has[static_cast<std::size_t>(rank)];
        for (const int child : part.children) {
            ASSERT_EQ(has[static_cast<std::size_t>(child)], -1) << "rank " << child << " is told twice";
            ASSERT_EQ(tree_part(child, ranks).parent, rank);
            has[static_cast<std::size_t>(child)] = ++round;
            last = std::max(last, round);
        }
    }
    int needed = 0;
    while (1 << needed < ranks) {
        ++needed;
    }
    EXPECT_LE(last, needed);
}

TEST_P(LitmusTree, GoesToTheFarthestFirst) {
    for (int rank = 0; rank < GetParam(); ++rank) {
        const TreePart part = tree_part(rank, GetParam());
        for (std::size_t i = 1; i < part.children.size(); ++i) {
            EXPECT_LT(part.children[i], part.children[i - 1]);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, LitmusTree, testing::Values(1, 2, 3, 4, 5, 7, 8, 31, 64, 100));

// By hand, after section 4.1: the first message goes half across, and each half goes on by itself.
TEST(LitmusTree, HalvesEightRanks) {
    EXPECT_EQ(tree_part(0, 8).children, (std::vector<int>{4, 2, 1}));
    EXPECT_EQ(tree_part(4, 8).children, (std::vector<int>{6, 5}));
    EXPECT_EQ(tree_part(6, 8).children, (std::vector<int>{7}));
    EXPECT_TRUE(tree_part(5, 8).children.empty());
}

} // namespace
} // namespace goodsyard
