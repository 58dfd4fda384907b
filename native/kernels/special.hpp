// Distribution functions of the tests, and their inverses, by Boost.Math. Outside of their domain, and of a
// NaN, they are NaN; where a result leaves the range of double they are 0 or infinite. No error is ever
// raised.
#pragma once

namespace steelyard {

// P(Z <= z) of a standard normal distribution.
[[nodiscard]] double normal_cdf(double z);

// The z with P(Z <= z) = p; infinite where p is 0 or 1.
[[nodiscard]] double normal_quantile(double p);

// P(T <= t) of Student's t; nu is above 0 and may be infinite.
[[nodiscard]] double student_cdf(double nu, double t);

// The t with P(T <= t) = p.
[[nodiscard]] double student_quantile(double nu, double p);

// P(F <= f) of Fisher's F; both degrees of freedom are above 0.
[[nodiscard]] double f_cdf(double d1, double d2, double f);

// P(F > f), which keeps its digits where it is small.
[[nodiscard]] double f_sf(double d1, double d2, double f);

// P(X <= x) of chi-squared.
[[nodiscard]] double chi2_cdf(double nu, double x);

// The x with P(X <= x) = p.
[[nodiscard]] double chi2_quantile(double nu, double p);

// P(X <= x) of a beta distribution: the regularised incomplete beta function.
[[nodiscard]] double beta_cdf(double a, double b, double x);

// The x with P(X <= x) = p.
[[nodiscard]] double beta_quantile(double a, double b, double p);

// P(X = k) of k successes in n trials, both whole, with probability p each.
[[nodiscard]] double binomial_pmf(double k, double n, double p);

// P(X <= k); 0 below 0 and 1 from n on.
[[nodiscard]] double binomial_cdf(double k, double n, double p);

// The p with P(X <= k) = cdf, for 0 <= k < n.
[[nodiscard]] double binomial_probability(double k, double n, double cdf);

// The largest whole k with P(X < k) <= tail, at most n: so many order statistics lie in a tail.
[[nodiscard]] double binomial_order(double tail, double n, double p);

} // namespace steelyard
