#include "draws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace steelyard {

namespace {

constexpr std::size_t size = max_coefficients;
constexpr double most_distance = 20; // e^20 says as well as anything that nothing is known
constexpr double smallest = 1e-300, max_part = 1e300;

// Lower root of a positive semi-definite matrix; unused rows stay zero.
void root_of(std::span<const double> covariance, std::span<double> low) {
    std::ranges::fill(low, 0.0);
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

} // namespace

Drawing::Drawing(const DrawNumbers& numbers) : numbers_(numbers), order_(numbers.place.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t d) { return numbers_.place[d]; });
}

void Drawing::run(const Mixture& from, const ScaleMixture& scales, std::span<std::int64_t> component,
                  std::span<std::int64_t> discrepancy, std::span<double> coefficient) {
    const std::size_t discrepancies = scales.scale.size();
    share_.resize(discrepancies);
    spread_.resize(discrepancies);
    DiscrepancyShares shares(scales);
    const std::size_t components = from.weight.size();
    double total = 0;
    for (const double weight : from.weight) {
        total += weight;
    }
    std::size_t at = 0;
    double passed = from.weight[0];
    bool prepared = false;
    for (const std::size_t d : order_) {
        while (at + 1 < components && passed < numbers_.place[d] * total) {
            passed += from.weight[++at];
            prepared = false;
        }
        if (!prepared) {
            prepare(from, scales, at, shares);
            prepared = true;
        }
        std::size_t g = 0;
        double below = share_[0];
        while (g + 1 < discrepancies && below < numbers_.pick[d]) {
            below += share_[++g];
        }
        component[d] = static_cast<std::int64_t>(at);
        discrepancy[d] = static_cast<std::int64_t>(g);
        const std::span<double> out = coefficient.subspan(d * size, size);
        switch (used_) {
        case 1:
            draw_one<1>(g, d, out);
            break;
        case 2:
            draw_one<2>(g, d, out);
            break;
        case 3:
            draw_one<3>(g, d, out);
            break;
        default:
            draw_one<size>(g, d, out);
        }
    }
}

void Drawing::prepare(const Mixture& from, const ScaleMixture& scales, std::size_t component,
                      DiscrepancyShares& shares) {
    centre_ = from.coefficient.subspan(component * size, size);
    root_of(from.covariance.subspan(component * size * size, size * size), root_);
    used_ = size;
    while (used_ > 1 && root_[(used_ - 1) * (size + 1)] == 0) {
        --used_;
    }
    const double chi2 = from.chi2[component];
    shares.find(static_cast<int>(from.freedom_left[component]), chi2, share_);
    for (std::size_t g = 0; g < spread_.size(); ++g) {
        const double scale = scales.scale[g], nu = scales.freedom[g];
        // Quantiles of chi-square by Wilson and Hilferty (1931): within 1 % where it matters here.
        const double freedom = nu + static_cast<double>(from.freedom_left[component]),
                     part = 2 / (9 * freedom);
        spread_[g] = {scale * (nu + chi2 / scale), freedom, 1 - part, std::sqrt(part)};
    }
}

template <std::size_t used>
void Drawing::draw_one(std::size_t discrepancy, std::size_t d, std::span<double> out) const {
    const Spread& by = spread_[discrepancy];
    const double root = std::max(by.middle + numbers_.chi[d] * by.slope, 0.05);
    const double spread = std::sqrt(by.square / (by.freedom * root * root * root));
    std::ranges::copy(centre_.subspan(used), out.subspan(used).begin());
    for (std::size_t attempt = 0; attempt < numbers_.attempts; ++attempt) {
        const auto z = numbers_.normal.subspan((attempt * numbers_.place.size() + d) * size, size);
        bool allowed = true;
        for (std::size_t i = 0; i < used; ++i) {
            double step = 0;
            for (std::size_t j = 0; j <= i; ++j) {
                step += root_[i * size + j] * z[j];
            }
            out[i] = centre_[i] + spread * step;
            allowed = allowed && (i == 0 || out[i] >= 0);
        }
        if (allowed && (out[0] >= 0 || centre_[0] <= 0 || numbers_.lenient[d] != 0)) {
            return;
        }
    }
    for (std::size_t i = 1; i < size; ++i) {
        out[i] = std::max(out[i], 0.0);
    }
}

void predict(const Formulas& from, const Target& target, std::span<const double> normal,
             std::span<double> value) {
    for (std::size_t d = 0; d < normal.size(); ++d) {
        const auto component = static_cast<std::size_t>(from.component[d]);
        const auto candidate = static_cast<std::size_t>(from.candidate[component]);
        const auto member = target.members.subspan(candidate * max_terms, max_terms);
        const auto b = from.coefficient.subspan(d * size, size);
        double sum = b[0], moving = 0;
        for (std::size_t k = 0; k < max_terms; ++k) {
            // A basis may be infinite far away, and a coefficient 0.
            const double part = member[k] >= 0 && b[k + 1] > 0
                                    ? b[k + 1] * target.basis[static_cast<std::size_t>(member[k])]
                                    : 0;
            sum += part;
            // What approaches a bound moved where it was measured, where its column is 1.
            moving += part < 0 ? std::max(-part, b[k + 1]) : part;
        }
        const double share = moving < max_part ? moving / (std::abs(b[0]) + moving + smallest) : 1;
        const double tau = from.discrepancy[d], miss = from.miss[component] * share;
        const double distance =
            std::sqrt(tau * tau + miss * miss) * (1 + (target.beyond - 1) * share) * normal[d];
        // A logarithmic distance, and what is modelled is never negative; a formula with a negative part may
        // be, far from the data.
        value[d] = (sum > 0 ? sum : 0) * std::exp(std::clamp(distance, -most_distance, most_distance));
    }
}

bool makes_sense(std::span<const std::int32_t> member, std::span<const double> coefficient,
                 std::span<const double> scale, std::span<const double> basis, double rounding) {
    const std::size_t points = basis.size() / scale.size();
    const double constant = std::abs(coefficient[0]) < rounding ? 0.0 : coefficient[0];
    bool negative = constant < 0;
    std::array<double, max_terms> slope{};
    std::array<std::span<const double>, max_terms> column{};
    for (std::size_t k = 0; k < max_terms; ++k) {
        if (member[k] < 0) {
            continue;
        }
        if (!(coefficient[k + 1] > 0)) {
            return false;
        }
        const auto place = static_cast<std::size_t>(member[k]);
        slope[k] = coefficient[k + 1] / scale[place];
        column[k] = basis.subspan(place * points, points);
        negative = negative || slope[k] < 0;
    }
    for (std::size_t p = 0; negative && p < points; ++p) {
        double value = constant;
        for (std::size_t k = 0; k < max_terms; ++k) {
            value += !column[k].empty() ? slope[k] * column[k][p] : 0.0;
        }
        if (!(value > -rounding)) {
            return false;
        }
    }
    return true;
}

void quantiles(std::span<double> value, std::span<const double> quantile, std::span<double> result) {
    auto from = value.begin();
    for (std::size_t k = 0; k < quantile.size(); ++k) {
        const double place = quantile[k] * static_cast<double>(value.size() - 1);
        const auto below = value.begin() + static_cast<std::ptrdiff_t>(place);
        std::nth_element(from, below, value.end());
        from = below;
        const double above = below + 1 < value.end() ? *std::min_element(below + 1, value.end()) : *below;
        result[k] = *below + (place - std::floor(place)) * (above - *below);
    }
}

} // namespace steelyard
