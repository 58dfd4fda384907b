#include "loops.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace steelyard {

TEST(AddColumns, AddsWeightedSumsToWhatIsThere) {
    const std::vector<double> column{1.0, -2.0, 0.5};
    std::vector<double> s1(3, 1.0), s2(3, 0.0), sy(3, 0.0);
    add_columns(3, column.data(), 2.0, 3.0, s1.data(), s2.data(), sy.data());
    EXPECT_EQ(s1, (std::vector<double>{3.0, -3.0, 2.0}));
    EXPECT_EQ(s2, (std::vector<double>{2.0, 8.0, 0.5}));
    EXPECT_EQ(sy, (std::vector<double>{3.0, -6.0, 1.5}));
}

TEST(FindGains, IsNothingWhereAColumnWouldFallOrHasNoSpread) {
    const std::vector<double> centred{4.0, 4.0, 0.0}, product{6.0, -6.0, 6.0};
    std::vector<double> gain(3, -1.0);
    find_gains(3, centred.data(), product.data(), gain.data());
    EXPECT_EQ(gain, (std::vector<double>{9.0, 0.0, 0.0}));
}

TEST(SolvePairs, LeavesTheResidualOfLeastSquaresAndCannotTellEqualColumnsApart) {
    // y = 2 x1 + 3 x2 + e with e orthogonal to both and to 1: what is left is the square of e.
    const std::vector<double> x1{1, 1, -1, -1}, x2{1, -1, 1, -1}, e{0.5, -0.5, -0.5, 0.5};
    std::vector<double> y(4);
    double yy = 0, x1x2 = 0, x1y = 0, x2y = 0, x1x1 = 0, x2x2 = 0, ee = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        y[k] = 2 * x1[k] + 3 * x2[k] + e[k];
        yy += y[k] * y[k];
        x1x2 += x1[k] * x2[k];
        x1y += x1[k] * y[k];
        x2y += x2[k] * y[k];
        x1x1 += x1[k] * x1[k];
        x2x2 += x2[k] * x2[k];
        ee += e[k] * e[k];
    }
    const std::vector<std::array<std::int32_t, max_terms>> terms{{0, 1, -1}, {0, 0, -1}};
    const std::vector<double> sums{0, 0}, mean{0, 0}, centred{x1x1, x2x2}, product{x1y, x2y};
    std::vector<double> cross{x1x2, x1x1}, chi2(2);
    solve_pairs(2, terms.data(), sums.data(), mean.data(), centred.data(), product.data(), yy, cross.data(),
                chi2.data());
    EXPECT_NEAR(chi2[0], ee, 1e-12);
    EXPECT_EQ(chi2[1], std::numeric_limits<double>::infinity());
}

} // namespace steelyard
