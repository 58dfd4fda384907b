#include "special.hpp"

#include <cmath>
#include <numbers>

namespace steelyard {

namespace {

constexpr double tiny = 1e-300;

double away_from_zero(double x) {
    return std::abs(x) < tiny ? tiny : x;
}

// Continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < 500; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        value *= c * d;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        value *= c * d;
        if (std::abs(c * d - 1) < 1e-15) {
            break;
        }
    }
    return value;
}

// Regularised incomplete beta function I_x(a, b); y = 1 - x, which may be much smaller than a rounding of x.
double beta_below(double a, double b, double x, double y) {
    if (x <= 0 || y <= 0) {
        return x <= 0 ? 0 : 1;
    }
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, y) / b;
}

} // namespace

double f_upper_tail(double d1, double d2, double f) {
    const double whole = d2 + d1 * f;
    return std::isfinite(whole) ? beta_below(d2 / 2, d1 / 2, d2 / whole, d1 * f / whole) : 0;
}

double normal_below(double z) {
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

} // namespace steelyard
