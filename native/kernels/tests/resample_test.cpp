// Resamples one at a time, by the definition, as the witness of those that are drawn side by side.
#include "resample.hpp"

#include "philox.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace steelyard {

namespace {

std::vector<double> deviations(std::vector<double> values, bool relative) {
    double mean = 0;
    for (const double value : values) {
        mean += value / static_cast<double>(values.size());
    }
    for (double& value : values) {
        value = relative ? value / mean - 1 : value - mean;
    }
    return values;
}

std::vector<double> resample(const std::vector<double>& values, std::uint64_t number, std::uint32_t stream,
                             std::uint64_t seed) {
    std::vector<double> drawn;
    Words<1> words;
    for (std::uint32_t at = 0; at < values.size(); ++at) {
        if (at % 4 == 0) {
            philox<1>(number, at / 4, stream, seed, words);
        }
        drawn.push_back(values[(std::uint64_t{words.word[at % 4][0]} * values.size()) >> 32]);
    }
    return drawn;
}

struct Moments {
    double mean = 0, square_of_se = 0;
};

Moments moments_of(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    Moments out;
    for (const double value : values) {
        out.mean += value / n;
    }
    for (const double value : values) {
        out.square_of_se += (value - out.mean) * (value - out.mean) / (n * (n - 1));
    }
    return out;
}

const std::vector<double> first = deviations({1.0, 1.2, 0.9, 1.4, 1.1, 0.8, 1.3}, false);
const std::vector<double> second = deviations({2.0, 2.1, 1.9, 2.4, 2.2}, false);
constexpr std::uint64_t seed = 20261126;

} // namespace

TEST(Studentise, AgreesWithResamplesOfOneSampleThatAreDrawnOneAtATime) {
    std::vector<double> t(100);
    studentise({Statistic::mean, first, {}, seed}, 0, t.size(), t);
    for (std::size_t r = 0; r < t.size(); ++r) {
        const Moments drawn = moments_of(resample(first, r, 0, seed));
        EXPECT_NEAR(t[r], drawn.mean / std::sqrt(drawn.square_of_se), 1e-9 * (1 + std::abs(t[r]))) << r;
    }
}

TEST(Studentise, DrawsTwoSamplesIndependently) {
    std::vector<double> t(64);
    studentise({Statistic::difference, first, second, seed}, 0, t.size(), t);
    for (std::size_t r = 0; r < t.size(); ++r) {
        const Moments x = moments_of(resample(first, r, 0, seed)),
                      y = moments_of(resample(second, r, 1, seed));
        EXPECT_NEAR(t[r], (x.mean - y.mean) / std::sqrt(x.square_of_se + y.square_of_se), 1e-9 * 50) << r;
    }
}

TEST(Studentise, DependsOnTheSeedAndNotOnHowResamplesAreSpread) {
    std::vector<double> all(96), parts(96), reseeded(96);
    const Resampling resampling{Statistic::mean, first, {}, seed};
    studentise(resampling, 0, 96, all);
    studentise(resampling, 64, 96, parts);
    studentise(resampling, 0, 64, parts);
    studentise({Statistic::mean, first, {}, seed + 1}, 0, 96, reseeded);
    EXPECT_EQ(all, parts);
    EXPECT_NE(all, reseeded);
}

TEST(Studentise, TakesPairsTogetherSoThatProportionalSamplesNeverMove) {
    const auto x = deviations({1.0, 1.2, 0.9, 1.4}, true);
    std::vector<double> t(32, 1.0);
    studentise({Statistic::paired_log_ratio, x, x, seed}, 0, t.size(), t);
    for (const double value : t) {
        EXPECT_EQ(value, 0.0);
    }
}

TEST(Studentise, HasNoSpreadWhereAllValuesAreEqual) {
    const std::vector<double> equal(5, 0.0);
    std::vector<double> t(32, 1.0);
    studentise({Statistic::mean, equal, {}, seed}, 0, t.size(), t);
    EXPECT_EQ(t, std::vector<double>(32, 0.0));
}

TEST(StudentiseGroups, IsInfinitelyFarOrNowhereWhereGroupsAreConstant) {
    // Two groups of one value each: a resample has both (nothing moved) or one of them twice (no spread).
    const std::vector<double> values{1.0, 3.0};
    const std::vector<std::int64_t> start{0, 1, 2};
    std::vector<double> t(64);
    studentise_groups(values, start, seed, 0, t.size(), t);
    std::size_t far = 0;
    for (const double value : t) {
        EXPECT_TRUE(value == 0 || std::isinf(value)) << value;
        far += std::isinf(value) ? 1 : 0;
    }
    EXPECT_GT(far, 16U);
    EXPECT_LT(far, 48U);
}

} // namespace steelyard
