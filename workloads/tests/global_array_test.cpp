#include "global/global_array.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "global_schedules.hpp"

namespace goodsyard::global {
namespace {

using runtime::on_ranks;
using runtime::Runtime;

TEST(Distributions, DealEveryElementToOnePlaceOfOneRank) {
    for (const Dealing dealing : dealings) {
        for (int ranks = 1; ranks <= 8; ++ranks) {
            for (std::uint64_t size = 0; size <= 70; ++size) {
                for (const std::uint64_t block : {1, 2, 5}) {
                    const Distribution distribution(size, ranks, dealing, block);
                    // Dealt like cards: the next block of elements goes to the next rank.
                    std::vector<std::uint64_t> count(static_cast<std::size_t>(ranks));
                    for (std::uint64_t i = 0; i < size; ++i) {
                        const auto [owner, place] = distribution.locate(i);
                        ASSERT_EQ(place, count[static_cast<std::size_t>(owner)]++);
                        ASSERT_EQ(distribution.index(owner, place), i);
                        ASSERT_EQ(owner,
                                  static_cast<int>(i / distribution.block() % static_cast<unsigned>(ranks)));
                    }
                    for (int rank = 0; rank < ranks; ++rank) {
                        ASSERT_EQ(distribution.count(rank), count[static_cast<std::size_t>(rank)])
                            << size << " elements, " << ranks << " ranks, blocks of " << distribution.block();
                    }
                }
            }
        }
    }
}

TEST(Distributions, HaveTheBlocksThatTheirNamesSay) {
    EXPECT_EQ(Distribution(10, 4, Dealing::block).block(), 3U);
    EXPECT_EQ(Distribution(10, 4, Dealing::block).count(3), 1U);
    EXPECT_EQ(Distribution(10, 4, Dealing::cyclic).locate(5).owner, 1);
    EXPECT_EQ(Distribution(10, 4, Dealing::block_cyclic, 2).locate(5).owner, 2);
    EXPECT_EQ(Distribution(0, 4, Dealing::block).count(0), 0U);
}

struct Pair {
    std::uint64_t first;
    std::uint64_t second;
};

TEST(GlobalArrays, GiveEveryRankAPointerToEveryElement) {
    for (const Dealing dealing : dealings) {
        for (const std::uint64_t size : {0, 1, 50}) {
            on_ranks({.ranks = 5}, {}, [&](Runtime&, const Team& team) {
                GlobalArray<Pair> array(team, size, dealing, 3);
                for (std::uint64_t place = 0; place < array.own().size(); ++place) {
                    const std::uint64_t index = array.index(place);
                    array.own()[place] = {index, index * index};
                    EXPECT_EQ(array[index], (GlobalPtr<Pair>{team.rank(), &array.own()[place]}));
                }
                team.barrier();
                for (std::uint64_t i = 0; i < size; ++i) {
                    // All ranks are in one process, so that the test may look where a program may not.
                    EXPECT_EQ(array[i].address()->first, i);
                    EXPECT_EQ(*array[i].member(&Pair::second).address(), i * i);
                }
                team.barrier();
            });
        }
    }
}

} // namespace
} // namespace goodsyard::global
