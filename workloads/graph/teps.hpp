// Rates of several runs as the specification of Graph500 wants them: harmonic.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace goodsyard::graph {

struct HarmonicMean {
    double mean = 0;
    /// Its standard error (Norris, The standard errors of the geometric and harmonic means, Annals of
    /// Mathematical Statistics 1940, DOI 10.1214/aoms/1177731830); 0 of one rate.
    double standard_error = 0;
};

/// Of rates above 0, at least one.
inline HarmonicMean harmonic_mean(const std::vector<double>& rates) {
    const auto n = static_cast<double>(rates.size());
    double inverse = 0;
    for (const double rate : rates) {
        inverse += 1 / rate / n;
    }
    double squares = 0;
    for (const double rate : rates) {
        squares += (1 / rate - inverse) * (1 / rate - inverse);
    }
    const double spread = rates.size() > 1 ? std::sqrt(squares) / (n - 1) : 0;
    return {1 / inverse, spread / (inverse * inverse)};
}

} // namespace goodsyard::graph
