// Known answers of Random123 (Salmon, Moraes, Dror, Shaw 2011), whose counters and keys these are.
#include "philox.hpp"

#include <array>
#include <gtest/gtest.h>

namespace steelyard {

namespace {

std::array<std::uint32_t, 4> draw(std::uint64_t first, std::uint32_t draw, std::uint32_t stream,
                                  std::uint64_t seed) {
    Words<1> out;
    philox<1>(first, draw, stream, seed, out);
    return {out.word[0][0], out.word[1][0], out.word[2][0], out.word[3][0]};
}

} // namespace

TEST(Philox, GivesTheKnownAnswers) {
    using Four = std::array<std::uint32_t, 4>;
    EXPECT_EQ(draw(0, 0, 0, 0), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(draw(~0ULL, ~0U, ~0U, ~0ULL), (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(draw(0x85a308d3'243f6a88ULL, 0x13198a2e, 0x03707344, 0x299f31d0'a4093822ULL),
              (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, GivesEachLaneTheWordsOfItsOwnCounter) {
    Words<8> out;
    const std::uint64_t first = 0xFFFFFFFFULL - 3; // the lower half of the counter overflows within the lanes
    philox<8>(first, 5, 6, 7, out);
    for (std::size_t lane = 0; lane < 8; ++lane) {
        const auto alone = draw(first + lane, 5, 6, 7);
        for (std::size_t word = 0; word < 4; ++word) {
            EXPECT_EQ(out.word[word][lane], alone[word]) << lane;
        }
    }
}

} // namespace steelyard
