#include "harness/random.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "harness/share.hpp"

namespace goodsyard {
namespace {

// Witness: the first numbers of SplitMix64 (Vigna's splitmix64.c) for seed 1234567, as Rosetta Code lists
// them.
TEST(Random, IsSplitMix64AsPublished) {
    const Random random(1234567);
    const std::vector<std::uint64_t> published = {6457827717110365317U, 3203168211198807973U,
                                                  9817491932198370423U, 4593380528125082431U,
                                                  16408922859458223821U};
    for (std::size_t i = 0; i < published.size(); ++i) {
        EXPECT_EQ(random.bits(i), published[i]);
    }
}

class Inputs : public testing::TestWithParam<int> {};

TEST_P(Inputs, DoNotDependOnTheNumberOfRanks) {
    constexpr std::uint64_t total = 1001;
    const Random random(7, 3);
    std::vector<std::uint64_t> drawn;
    for (int rank = 0; rank < GetParam(); ++rank) {
        const Share share = share_of(total, rank, GetParam());
        ASSERT_EQ(share.first, drawn.size()) << "shares follow one another";
        for (std::uint64_t i = 0; i < share.count; ++i) {
            drawn.push_back(random.bits(share.first + i));
        }
    }
    ASSERT_EQ(drawn.size(), total);
    for (std::uint64_t i = 0; i < total; ++i) {
        ASSERT_EQ(drawn[i], random.bits(i));
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Inputs, testing::Values(1, 2, 3, 4, 16, 1001, 1500));

TEST(Random, StreamsOfOneSeedDiffer) {
    EXPECT_NE(Random(1, 1).bits(0), Random(1, 2).bits(0));
    EXPECT_NE(Random(1, 1).bits(0), Random(2, 1).bits(0));
}

// 100,000 draws: the mean of uniforms is 0.5 within 5 standard errors (1 / sqrt(12 n)), the variance of
// normals 1 within 5 of theirs (sqrt(2 / n)).
TEST(Random, HasTheMomentsOfItsDistributions) {
    constexpr int n = 100'000;
    const Random random(11);
    double mean = 0;
    double normal_mean = 0;
    double normal_square = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        mean += random.unit(i) / n;
        const double normal = random.normal(i);
        normal_mean += normal / n;
        normal_square += normal * normal / n;
    }
    EXPECT_NEAR(mean, 0.5, 5 / std::sqrt(12.0 * n));
    EXPECT_NEAR(normal_mean, 0, 5 / std::sqrt(1.0 * n));
    EXPECT_NEAR(normal_square, 1, 5 * std::sqrt(2.0 / n));
}

// Witness: chi-squared with 6 degrees of freedom exceeds 22.46 with probability 0.001 (scipy.stats.chi2.isf).
TEST(Random, FillsARangeEvenly) {
    constexpr std::uint64_t draws = 70'000;
    std::vector<double> visited(7);
    const Random random(5);
    for (std::uint64_t i = 0; i < draws; ++i) {
        ++visited.at(random.below(7, i));
    }
    double chi2 = 0;
    for (const double count : visited) {
        chi2 += (count - 10'000) * (count - 10'000) / 10'000;
    }
    EXPECT_LT(chi2, 22.46);
}

} // namespace
} // namespace goodsyard
