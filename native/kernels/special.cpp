#include "special.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace steelyard {

namespace {

namespace bm = boost::math;
using bm::policies::ignore_error;

// No exceptions, and no long double, which has other digits on other machines.
using Quiet = bm::policies::policy<
    bm::policies::domain_error<ignore_error>, bm::policies::pole_error<ignore_error>,
    bm::policies::overflow_error<ignore_error>, bm::policies::evaluation_error<ignore_error>,
    bm::policies::rounding_error<ignore_error>, bm::policies::indeterminate_result_error<ignore_error>,
    bm::policies::promote_float<false>, bm::policies::promote_double<false>>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_probability(double p) {
    return p >= 0 && p <= 1;
}

bool is_whole(double k) {
    return std::isfinite(k) && std::floor(k) == k;
}

// Where d1 f / (d2 + d1 f) lies, and what it lacks to 1: whichever is small keeps its digits.
struct Place {
    double x;
    double rest;
};

Place place_of(double d1, double d2, double f) {
    if (std::isinf(d1 * f)) {
        return {1, std::isinf(f) ? 0 : d2 / d1 / f};
    }
    const double total = d2 + d1 * f;
    return {d1 * f / total, d2 / total};
}

// An inverse that Boost found, or where it is not one (Boost 1.88: beta of a = 1/2 and p = 1e-8), another by
// bisection of the logarithm between the smallest and the largest positive number.
template <typename Rising>
double checked_root(double root, double p, Rising below) {
    if (root > 0 && std::abs(below(root) - p) <= 1e-10 * p) {
        return root;
    }
    double low = std::log(std::numeric_limits<double>::min()), high = -low;
    if (below(std::exp(low)) >= p) {
        return 0;
    }
    for (int i = 0; i < 64; ++i) {
        const double middle = (low + high) / 2;
        (below(std::exp(middle)) < p ? low : high) = middle;
    }
    return std::exp(high);
}

} // namespace

double normal_cdf(double z) {
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double normal_quantile(double p) {
    if (!is_probability(p)) {
        return nan;
    }
    if (p == 0 || p == 1) {
        return p == 0 ? -infinity : infinity;
    }
    return -std::numbers::sqrt2 * bm::erfc_inv(2 * p, Quiet{});
}

double student_cdf(double nu, double t) {
    if (!(nu > 0) || std::isnan(t)) {
        return nan;
    }
    if (std::isinf(nu)) {
        return normal_cdf(t);
    }
    const double square = t * t;
    double tail = 0;
    if (std::isinf(square)) {
        // (nu / t^2)^(nu / 2), its factor, and nothing else is left.
        tail = std::isinf(t)
                   ? 0
                   : 0.5 * std::exp((nu / 2) * (std::log(nu) - 2 * std::log(std::abs(t))) + std::log(2 / nu) -
                                    std::lgamma(nu / 2) - std::lgamma(0.5) + std::lgamma((nu + 1) / 2));
    } else if (nu > 2 * square) {
        tail = bm::ibetac(0.5, nu / 2, square / (nu + square), Quiet{}) / 2;
    } else {
        tail = bm::ibeta(nu / 2, 0.5, nu / (nu + square), Quiet{}) / 2;
    }
    return t > 0 ? 1 - tail : tail;
}

double student_quantile(double nu, double p) {
    if (!(nu > 0) || !is_probability(p)) {
        return nan;
    }
    if (p == 0 || p == 1) {
        return p == 0 ? -infinity : infinity;
    }
    if (std::isinf(nu)) {
        return normal_quantile(p);
    }
    const double root = bm::quantile(bm::students_t_distribution<double, Quiet>(nu), p);
    // In the tails only: there the powers within leave the range of double long before the quantile does.
    if (p > 1e-8 && p < 1 - 1e-8) {
        return root;
    }
    const auto beyond = [&](double inverse) { return student_cdf(nu, -1 / inverse); };
    return p < 0.5 ? -1 / checked_root(-1 / root, p, beyond) : root;
}

double f_cdf(double d1, double d2, double f) {
    if (!(d1 > 0 && d2 > 0 && f >= 0)) {
        return nan;
    }
    const Place at = place_of(d1, d2, f);
    return at.x < at.rest ? bm::ibeta(d1 / 2, d2 / 2, at.x, Quiet{})
                          : bm::ibetac(d2 / 2, d1 / 2, at.rest, Quiet{});
}

double f_sf(double d1, double d2, double f) {
    if (!(d1 > 0 && d2 > 0 && f >= 0)) {
        return nan;
    }
    const Place at = place_of(d1, d2, f);
    return at.x < at.rest ? bm::ibetac(d1 / 2, d2 / 2, at.x, Quiet{})
                          : bm::ibeta(d2 / 2, d1 / 2, at.rest, Quiet{});
}

double chi2_cdf(double nu, double x) {
    if (!(nu > 0 && x >= 0) || std::isinf(nu)) {
        return nan;
    }
    return std::isinf(x) ? 1 : bm::gamma_p(nu / 2, x / 2, Quiet{});
}

double chi2_quantile(double nu, double p) {
    if (!(nu > 0) || std::isinf(nu) || !is_probability(p)) {
        return nan;
    }
    return p == 1 ? infinity : 2 * bm::gamma_p_inv(nu / 2, p, Quiet{});
}

double beta_cdf(double a, double b, double x) {
    if (!(a > 0 && b > 0) || std::isinf(a) || std::isinf(b) || !is_probability(x)) {
        return nan;
    }
    return bm::ibeta(a, b, x, Quiet{});
}

double beta_quantile(double a, double b, double p) {
    if (!(a > 0 && b > 0) || std::isinf(a) || std::isinf(b) || !is_probability(p)) {
        return nan;
    }
    if (p == 0 || p == 1) {
        return p;
    }
    const auto below = [&](double x) { return x < 1 ? bm::ibeta(a, b, x, Quiet{}) : 1; };
    return checked_root(bm::ibeta_inv(a, b, p, Quiet{}), p, below);
}

double binomial_pmf(double k, double n, double p) {
    if (!(n >= 0) || !is_whole(n) || !is_whole(k) || !is_probability(p)) {
        return nan;
    }
    if (k < 0 || k > n) {
        return 0;
    }
    return bm::pdf(bm::binomial_distribution<double, Quiet>(n, p), k);
}

double binomial_cdf(double k, double n, double p) {
    if (!(n >= 0) || std::isinf(n) || std::isnan(k) || !is_probability(p)) {
        return nan;
    }
    const double integral = std::floor(k);
    if (integral < 0 || integral >= n) {
        return integral < 0 ? 0 : 1;
    }
    return bm::ibetac(integral + 1, n - integral, p, Quiet{});
}

double binomial_probability(double k, double n, double cdf) {
    if (!(k >= 0 && k < n) || std::isinf(n) || !is_probability(cdf)) {
        return nan;
    }
    const double integral = std::floor(k);
    return bm::ibetac_inv(integral + 1, n - integral, cdf, Quiet{});
}

double binomial_order(double tail, double n, double p) {
    if (!(n >= 0) || !is_whole(n) || !is_probability(tail) || !is_probability(p)) {
        return nan;
    }
    // From where a normal distribution has it, in steps that double, to two numbers around it.
    const auto fits = [&](double k) { return k <= 0 || (k <= n && binomial_cdf(k - 1, n, p) <= tail); };
    const double spread = std::sqrt(n * p * (1 - p));
    const double z = std::clamp(normal_quantile(tail), -40.0, 40.0);
    double low = std::clamp(std::floor(n * p + z * spread), 0.0, n), high = low + 1;
    for (double step = 1; !fits(low); step *= 2) {
        high = low;
        low -= step;
    }
    for (double step = 1; fits(high); step *= 2) {
        low = high;
        high += step;
    }
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (fits(middle) ? low : high) = middle;
    }
    return std::max(low, 0.0);
}

} // namespace steelyard
