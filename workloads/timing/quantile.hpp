// A quantile and its distribution-free interval, from sorted values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace goodsyard {

/// Linear interpolation between order statistics (Hyndman and Fan 1996, type 7: what R and NumPy do).
/// `sorted` is not empty.
inline double quantile(const std::vector<double>& sorted, double q) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

struct QuantileInterval {
    double low = 0;
    double high = 0;
    bool found = false; ///< Too few values have no such interval.
};

/// Order statistics that hold the q-quantile with at least 95 %: binomial tails of at most 2.5 % on each side
/// (David and Nagaraja, Order Statistics, 2003, section 7.1).
inline QuantileInterval quantile_interval(const std::vector<double>& sorted, double q) {
    const auto n = static_cast<int>(sorted.size());
    double cumulated = 0;
    int low = 0;  // Largest rank with P(B < rank) <= 0.025.
    int high = 0; // Smallest rank with P(B < rank) >= 0.975.
    for (int k = 0; k < n; ++k) {
        const double log_p = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                             k * std::log(q) + (n - k) * std::log1p(-q);
        cumulated += std::exp(log_p);
        if (cumulated <= 0.025) {
            low = k + 1;
        }
        if (high == 0 && cumulated >= 0.975) {
            high = k + 1;
        }
    }
    if (low == 0 || high == 0) {
        return {};
    }
    return {sorted[static_cast<std::size_t>(low - 1)], sorted[static_cast<std::size_t>(high - 1)], true};
}

} // namespace goodsyard
