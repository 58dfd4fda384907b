// Coefficients of candidates, their covariance, and the share of it on coefficients that make sense.
#include "search.hpp"

#include "loops.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {

namespace {

constexpr std::size_t block = 512; // products whose sums stay in the first-level cache

// A logistic curve stands for the normal distribution: within 0.01 everywhere, which is finer than the prior
// it weighs.
double normal_cdf(double z) {
    return 1 / (1 + std::exp(-1.702 * z));
}

// The prior density of a term's share u of the value where its column is 1, relative to a flat one:
// mostly that of a share at the first point that is log-uniform from 1 to 99 %, so that small growth is not
// taken for none. `first` is the column there; a share within its uncertainty is not known better than that.
double share_density(double constant, double coefficient, double sd, double first, bool wide) {
    constexpr double flat = 0.2, least = 0.01, log_range = 4.595;
    const double total = std::max(constant, 0.0) + std::max(coefficient, 0.0);
    const double u = std::clamp(std::max(coefficient, sd) / std::max(total, 1e-12), 1e-6, 1.0);
    // Of a constant that is 1e-20 of the whole, 1 - u has no digit left.
    const double constant_share =
        wide && coefficient >= sd ? std::max(constant, 0.0) / std::max(total, 1e-12) : 1 - u;
    const double rest = constant_share + u * first;
    const double share = u * first / rest;
    if (!(share > 0)) {
        return flat;
    }
    // Below the least share the density stays that of the least.
    return flat + (1 - flat) / log_range / std::max(share, least) * first / (rest * rest);
}

} // namespace

void Search::fit_pairs() {
    const std::size_t count = cross_.size();
    const auto m = static_cast<std::size_t>(space_.points);
    std::fill(cross_.begin(), cross_.end(), 0.0);
    for (std::size_t k = 0; wide_ && k < m; ++k) {
        const double* column = column_ + k * static_cast<std::size_t>(space_.columns);
        for (std::size_t q = 0; q < count; ++q) {
            const auto& pair = space_.terms[space_.pairs + q];
            cross_[q] += w_[k] * column[pair[0]] * column[pair[1]];
        }
    }
    for (std::size_t from = 0; !wide_ && from < count; from += block) {
        const std::size_t length = std::min(block, count - from);
        for (std::size_t k = 0; k < m; ++k) {
            add_products(length, &space_.product[k * count + from], w_[k], &cross_[from]);
        }
    }
    solve_pairs(count, space_.terms.data() + space_.pairs, s1_.data(), mean_.data(), centred_.data(),
                ry_.data(), sum_yy_, cross_.data(), pair_chi2_.data());
}

// Coefficients and their covariance at scale 1 from the centred normal equations; false where the columns are
// collinear.
bool Search::solve(std::size_t candidate, double chi2, Component& component) const {
    const auto& terms = space_.terms[candidate];
    const auto n = static_cast<std::size_t>(space_.columns);
    const auto m = static_cast<std::size_t>(space_.points);
    int count = 0;
    while (count < max_terms && terms[static_cast<std::size_t>(count)] >= 0) {
        ++count;
    }
    std::array<std::size_t, max_terms> at{};
    std::array<std::array<double, max_terms>, max_terms> a{}, inverse{};
    for (int i = 0; i < count; ++i) {
        at[static_cast<std::size_t>(i)] = static_cast<std::size_t>(terms[static_cast<std::size_t>(i)]);
    }
    const auto used = static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < used; ++i) {
        a[i][i] = centred_[at[i]];
        for (std::size_t j = 0; j < i; ++j) {
            if (candidate >= space_.pairs && candidate < space_.triples) {
                a[i][j] = a[j][i] = cross_[candidate - space_.pairs];
                continue;
            }
            double sum = 0;
            for (std::size_t k = 0; k < m; ++k) {
                sum += w_[k] * column_[k * n + at[i]] * column_[k * n + at[j]];
            }
            a[i][j] = a[j][i] = sum - s1_[at[i]] * mean_[at[j]];
        }
    }
    // Cholesky of the scaled matrix, then its inverse; at most 3 x 3.
    std::array<std::array<double, max_terms>, max_terms> low{}, back{};
    for (std::size_t i = 0; i < used; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= low[i][k] * low[j][k];
            }
            if (i == j) {
                if (sum <= 1e-11 * a[i][i]) {
                    return false;
                }
                low[i][i] = std::sqrt(sum);
            } else {
                low[i][j] = sum / low[j][j];
            }
        }
    }
    for (std::size_t i = 0; i < used; ++i) {
        back[i][i] = 1 / low[i][i];
        for (std::size_t j = 0; j < i; ++j) {
            double sum = 0;
            for (std::size_t k = j; k < i; ++k) {
                sum -= low[i][k] * back[k][j];
            }
            back[i][j] = sum / low[i][i];
        }
    }
    for (std::size_t i = 0; i < used; ++i) {
        for (std::size_t j = 0; j < used; ++j) {
            for (std::size_t k = std::max(i, j); k < used; ++k) {
                inverse[i][j] += back[k][i] * back[k][j];
            }
        }
    }
    component = Component{};
    component.candidate = static_cast<std::int32_t>(candidate);
    double fit = 0, constant = mean_y_, variance = 1 / sum_w_;
    for (std::size_t i = 0; i < used; ++i) {
        double b = 0, with_constant = 0;
        for (std::size_t j = 0; j < used; ++j) {
            b += inverse[i][j] * ry_[at[j]];
            with_constant -= inverse[i][j] * (mean_[at[j]] + column_mean_[at[j]]);
            component.covariance[(i + 1) * max_coefficients + j + 1] = inverse[i][j];
        }
        const double mean = mean_[at[i]] + column_mean_[at[i]];
        component.coefficient[i + 1] = b;
        component.covariance[(i + 1) * max_coefficients] = component.covariance[i + 1] = with_constant;
        fit += b * ry_[at[i]];
        constant -= b * mean;
        variance -= with_constant * mean;
    }
    component.coefficient[0] = constant;
    component.covariance[0] = variance;
    component.chi2 = chi2 >= 0 ? chi2 : std::max(sum_yy_ - fit, 0.0);
    return true;
}

double Search::allowed(double coefficient, double variance) const {
    const double z = coefficient / std::sqrt(variance * typical_scale_);
    return z < -2 ? 0.0 : (z > 4 ? 1.0 : normal_cdf(z));
}

double Search::allowed_constant(double coefficient, double variance) const {
    const double z = coefficient / std::sqrt(variance * typical_scale_);
    const double positive = z > 4 ? 1.0 : z < -30 ? 0.0 : normal_cdf(z);
    return positive + space_.negative_constant * (1 - positive);
}

// sqrt|Cov| times the posterior probability that the coefficients are allowed.
double Search::occam(std::size_t candidate, int coefficients) const {
    if (coefficients == 1) {
        return 1 / std::sqrt(sum_w_);
    }
    const auto& terms = space_.terms[candidate];
    const auto i = static_cast<std::size_t>(terms[0]);
    const double mi = mean_[i] + column_mean_[i];
    if (coefficients == 2) {
        const double b = ry_[i] / centred_[i], v = 1 / centred_[i];
        const double share = allowed(b, v);
        if (share == 0) {
            return 0;
        }
        const double constant = mean_y_ - b * mi, first = column_[i] + column_mean_[i];
        return share * allowed_constant(constant, 1 / sum_w_ + mi * mi * v) *
               share_density(constant, b, std::sqrt(v * typical_scale_), first, wide_) /
               std::sqrt(sum_w_ * centred_[i]);
    }
    if (coefficients == 3) {
        const auto j = static_cast<std::size_t>(terms[1]);
        const double mj = mean_[j] + column_mean_[j], a12 = cross_[candidate - space_.pairs];
        const double det = centred_[i] * centred_[j] - a12 * a12;
        const double b1 = (centred_[j] * ry_[i] - a12 * ry_[j]) / det,
                     b2 = (centred_[i] * ry_[j] - a12 * ry_[i]) / det;
        const double share = allowed(b1, centred_[j] / det) * allowed(b2, centred_[i] / det);
        if (share == 0) {
            return 0;
        }
        const double variance =
            1 / sum_w_ + (mi * mi * centred_[j] - 2 * mi * mj * a12 + mj * mj * centred_[i]) / det;
        return share * allowed_constant(mean_y_ - b1 * mi - b2 * mj, variance) / std::sqrt(sum_w_ * det);
    }
    Component component;
    if (!solve(candidate, -1, component)) {
        return 0;
    }
    const auto& v = component.covariance;
    double share = allowed_constant(component.coefficient[0], v[0]);
    for (std::size_t k = 1; k < max_coefficients; ++k) {
        share *= allowed(component.coefficient[k], v[k * (max_coefficients + 1)]);
    }
    const double det = v[5] * (v[10] * v[15] - v[11] * v[14]) - v[6] * (v[9] * v[15] - v[11] * v[13]) +
                       v[7] * (v[9] * v[14] - v[10] * v[13]);
    return det > 0 ? share * std::sqrt(det / sum_w_) : 0;
}

} // namespace steelyard
