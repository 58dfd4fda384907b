#include "draws.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {

namespace {

constexpr std::size_t size = max_coefficients;

// Lower root of a positive semi-definite matrix; unused rows stay zero.
void root_of(const double* covariance, double* low) {
    std::fill_n(low, size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = covariance[i * size + j];
            for (std::size_t k = 0; k < j; ++k) {
                rest -= low[i * size + k] * low[j * size + k];
            }
            if (i == j) {
                low[i * size + i] = std::sqrt(std::max(rest, 0.0));
            } else {
                const double pivot = low[j * size + j];
                low[i * size + j] = pivot > 0 ? rest / pivot : 0.0;
            }
        }
    }
}

// Quantile by Wilson and Hilferty (1931): within 1 % where it matters here, and one multiplication each.
double chi_square(double freedom, double z) {
    const double part = 2 / (9 * freedom);
    const double root = std::max(1 - part + z * std::sqrt(part), 0.05);
    return freedom * root * root * root;
}

} // namespace

void Drawing::run(const Mixture& from, std::int64_t* component, std::int64_t* discrepancy,
                  double* coefficient) {
    root_.resize(from.components * size * size);
    double total = 0;
    for (std::size_t i = 0; i < from.components; ++i) {
        total += from.weight[i];
        root_of(from.covariance + i * size * size, root_.data() + i * size * size);
    }
    for (std::size_t d = 0; d < numbers_.place.size(); ++d) {
        std::size_t at = 0, g = 0;
        double passed = from.weight[0];
        while (at + 1 < from.components && passed < numbers_.place[d] * total) {
            passed += from.weight[++at];
        }
        const double* share = from.share + at * from.discrepancies;
        double below = share[0];
        while (g + 1 < from.discrepancies && below < numbers_.pick[d]) {
            below += share[++g];
        }
        component[d] = static_cast<std::int64_t>(at);
        discrepancy[d] = static_cast<std::int64_t>(g);
        draw_one(from, at, g, d, coefficient + d * size);
    }
}

void Drawing::draw_one(const Mixture& from, std::size_t component, std::size_t discrepancy, std::size_t d,
                       double* out) const {
    const double scale = from.scale[discrepancy], nu = from.freedom[discrepancy];
    const auto left = static_cast<double>(from.left[component]);
    const double spread =
        std::sqrt(scale * (nu + from.chi2[component] / scale) / chi_square(nu + left, numbers_.chi[d]));
    const double* centre = from.coefficient + component * size;
    const double* low = root_.data() + component * size * size;
    for (std::size_t attempt = 0; attempt < numbers_.attempts; ++attempt) {
        const double* z = numbers_.normal.data() + (attempt * numbers_.place.size() + d) * size;
        bool allowed = true;
        for (std::size_t i = 0; i < size; ++i) {
            double step = 0;
            for (std::size_t j = 0; j <= i; ++j) {
                step += low[i * size + j] * z[j];
            }
            out[i] = centre[i] + spread * step;
            allowed = allowed && (i == 0 || out[i] >= 0);
        }
        if (allowed && (out[0] >= 0 || centre[0] <= 0 || numbers_.lenient[d] != 0)) {
            return;
        }
    }
    for (std::size_t i = 1; i < size; ++i) {
        out[i] = std::max(out[i], 0.0);
    }
}

} // namespace steelyard
