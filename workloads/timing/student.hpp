// Student's distribution, as far as the error of a clock needs it.
#pragma once

#include <algorithm>
#include <cmath>

namespace goodsyard {

constexpr double normal_quantile_95 = 1.959963984540054;

/// The 97.5 % quantile of Student's t. One and two degrees of freedom in closed form; above, the expansion of
/// Cornish and Fisher in 1/nu (Abramowitz and Stegun, 26.7.5), low by 0.004 at 3 and by less beyond.
inline double student_quantile_95(double nu) {
    constexpr double x = normal_quantile_95;
    if (nu < 2) {
        return 12.7062047361747;
    }
    if (nu < 3) {
        return 4.30265272974946;
    }
    const double x2 = x * x;
    const double g1 = x * (x2 + 1) / 4;
    const double g2 = x * ((5 * x2 + 16) * x2 + 3) / 96;
    const double g3 = x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384;
    const double g4 = x * ((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) / 92160;
    return x + (g1 + (g2 + (g3 + g4 / nu) / nu) / nu) / nu;
}

/// By what a variance of `nu` degrees of freedom grows, so that 1.96 times its root is the 95 % interval of
/// Student's t.
inline double student_inflation(double nu) {
    const double ratio = student_quantile_95(std::max(1.0, nu)) / normal_quantile_95;
    return ratio * ratio;
}

} // namespace goodsyard
