#include "timing/quantile.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace goodsyard {
namespace {

std::vector<double> counting(int n) {
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

// Witness: numpy.quantile([1, 2, 3, 4, 5, 6], [0.25, 0.5, 0.9]) = 2.25, 3.5, 5.5.
TEST(Quantile, InterpolatesAsNumpyDoes) {
    EXPECT_DOUBLE_EQ(quantile(counting(6), 0.25), 2.25);
    EXPECT_DOUBLE_EQ(quantile(counting(6), 0.5), 3.5);
    EXPECT_DOUBLE_EQ(quantile(counting(6), 0.9), 5.5);
}

// Witness: scipy.stats.binom.ppf gives ranks 40 and 61 of 100 for the median (P(B < 40) = 0.0176,
// P(B < 61) = 0.9824), 17 and 35 for the first quartile.
TEST(QuantileInterval, HasTheRanksOfTheBinomialLaw) {
    const QuantileInterval median = quantile_interval(counting(100), 0.5);
    ASSERT_TRUE(median.found);
    EXPECT_EQ(median.low, 40);
    EXPECT_EQ(median.high, 61);
    const QuantileInterval quartile = quantile_interval(counting(100), 0.25);
    EXPECT_EQ(quartile.low, 17);
    EXPECT_EQ(quartile.high, 35);
}

TEST(QuantileInterval, IsNotFoundInTooFewValues) {
    EXPECT_FALSE(quantile_interval(counting(5), 0.5).found); // 2 * 0.5^5 > 0.05
    EXPECT_TRUE(quantile_interval(counting(6), 0.5).found);
}

} // namespace
} // namespace goodsyard
