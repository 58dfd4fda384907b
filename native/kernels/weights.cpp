// The variance of each point: repetitions, and discrepancy.
#include "search.hpp"

#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace steelyard {

namespace {

constexpr std::size_t block = 256; // columns whose sums stay in the first-level cache
constexpr double nothing = -1e300;
constexpr double resolution = 1e-8; // of a value and its uncertainty, relative to the largest value
constexpr double small = 1e-6;      // … of a value that is seen too poorly with that
constexpr double least = 1e-100;    // the resolution then: its square is a double

double square(double x) {
    return x * x;
}

} // namespace

// Centres each column by its weighted mean; one that is constant up to rounding becomes 0.
void Search::centre_by_weight() {
    const auto m = static_cast<std::size_t>(space_.points);
    const auto n = static_cast<std::size_t>(space_.columns);
    own_column_.resize(m * n);
    own_mean_.assign(n, 0);
    for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t c = 0; c < n; ++c) {
            own_mean_[c] += w_[k] * space_.raw[k * n + c] / sum_w_;
        }
    }
    for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t c = 0; c < n; ++c) {
            const double away = space_.raw[k * n + c] - own_mean_[c];
            own_column_[k * n + c] = std::abs(away) > 1e-13 * std::abs(own_mean_[c]) ? away : 0;
        }
    }
    column_ = own_column_.data();
    column_mean_ = own_mean_.data();
}

void Search::sum_columns(std::span<const double> y) {
    const auto m = static_cast<std::size_t>(space_.points);
    const auto n = static_cast<std::size_t>(space_.columns);
    sum_w_ = 0;
    mean_y_ = 0;
    for (std::size_t k = 0; k < m; ++k) {
        sum_w_ += w_[k];
        mean_y_ += w_[k] * y[k];
    }
    mean_y_ /= sum_w_;
    if (wide_) {
        centre_by_weight();
    }
    sum_yy_ = 0;
    for (std::size_t k = 0; k < m; ++k) {
        wy_[k] = w_[k] * (y[k] - mean_y_);
        sum_yy_ += wy_[k] * (y[k] - mean_y_);
    }
    std::fill(s1_.begin(), s1_.end(), 0.0);
    std::fill(s2_.begin(), s2_.end(), 0.0);
    std::fill(sy_.begin(), sy_.end(), 0.0);
    for (std::size_t from = 0; from < n; from += block) {
        const std::size_t length = std::min(block, n - from);
        for (std::size_t k = 0; k < m; ++k) {
            add_columns(length, column_ + k * n + from, w_[k], wy_[k], &s1_[from], &s2_[from], &sy_[from]);
        }
    }
    for (std::size_t c = 0; c < n; ++c) {
        mean_[c] = s1_[c] / sum_w_;
        const double centred = s2_[c] - s1_[c] * mean_[c];
        // Where one point has nearly all weight, what is left of a column is rounding: it cannot be used.
        centred_[c] = centred > 1e-13 * s2_[c] ? centred : 0;
        ry_[c] = sy_[c]; // y is centred already
    }
}

// The chi-square of the best growing one-term candidate (or the constant), and its fitted values.
double Search::best_single(std::span<double> fitted) {
    const auto m = static_cast<std::size_t>(space_.points);
    const auto n = static_cast<std::size_t>(space_.columns);
    find_gains(n, centred_.data(), ry_.data(), gain_.data());
    double most = 0;
    std::size_t chosen = n;
    for (std::size_t q = space_.singles; q < space_.pairs; ++q) {
        const auto c = static_cast<std::size_t>(space_.terms[q][0]);
        if (gain_[c] > most) {
            most = gain_[c];
            chosen = c;
        }
    }
    const double slope = chosen < n ? ry_[chosen] / centred_[chosen] : 0;
    for (std::size_t k = 0; k < m; ++k) {
        fitted[k] = mean_y_ + (chosen < n ? slope * (column_[k * n + chosen] - mean_[chosen]) : 0.0);
    }
    return std::max(sum_yy_ - most, 0.0);
}

// Shape and scale of the points' variances: noise that grows by its law plus discrepancy, in a first pass
// over one-term fits.
void Search::weigh(const Series& series, Found& result) {
    const auto m = static_cast<std::size_t>(space_.points);
    const std::size_t scales = space_.tau.size();
    size_ = 0;
    for (std::size_t k = 0; k < m; ++k) {
        size_ = std::max(size_, std::abs(series.y[k]));
    }
    std::vector<double> noise(m), fitted(m), smooth(m), mean_variance(m, 0.0), log_fit(scales);
    size_ = size_ > 0 ? size_ : 1;
    wide_ = false;
    for (std::size_t k = 0; k < m; ++k) {
        y_[k] = series.y[k] / size_;
        noise[k] = series.u2[k] / size_ / size_;
        wide_ |= y_[k] != 0 && std::abs(y_[k]) < small && noise[k] < square(resolution);
    }
    column_ = space_.column.data();
    column_mean_ = space_.column_mean.data();
    // Weights of points must stay within what double precision can add up.
    const double resolved = wide_ ? least : resolution;
    for (std::size_t k = 0; k < m; ++k) {
        noise[k] = std::max(noise[k], square(resolved));
        smooth[k] = std::max(std::abs(y_[k]), resolved);
    }
    std::vector<double> freedom(scales);
    std::vector<double> all_fitted(scales * m);
    const double nu = series.freedom > 0 ? series.freedom : 1e9;
    double best_log = nothing, least_noise = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < m; ++k) {
        least_noise = std::min(least_noise, noise[k] / square(smooth[k]));
    }
    for (std::size_t g = 0; g < scales; ++g) {
        // Discrepancies far below the noise change nothing; they share one pass.
        if (g > 0 && square(space_.tau[g]) < 1e-3 * least_noise && space_.tau[g - 1] < space_.tau[g]) {
            freedom[g] = freedom[g - 1];
            log_fit[g] = log_fit[g - 1] - space_.log_tau_prior[g - 1] + space_.log_tau_prior[g];
            std::copy_n(&all_fitted[(g - 1) * m], m, &all_fitted[g * m]);
            continue;
        }
        double share = 0, log_det = 0;
        for (std::size_t k = 0; k < m; ++k) {
            const double variance = noise[k] + square(space_.tau[g] * smooth[k]);
            w_[k] = 1 / variance;
            share += noise[k] / variance / space_.points;
            log_det += std::log(variance);
        }
        freedom[g] = std::min(nu / (share * share + 1e-12), 1e9);
        sum_columns(y_);
        const double chi2 = best_single(std::span(all_fitted).subspan(g * m, m));
        const double half = 0.5 * (freedom[g] + space_.points - 2);
        log_fit[g] = space_.log_tau_prior[g] - 0.5 * log_det -
                     (freedom[g] > 1e6 ? 0.5 * chi2 : half * std::log(1 + chi2 / freedom[g]));
        best_log = std::max(best_log, log_fit[g]);
    }
    double total = 0;
    std::vector<double> share_of(scales);
    for (std::size_t g = 0; g < scales; ++g) {
        share_of[g] = std::exp(log_fit[g] - best_log);
        total += share_of[g];
    }
    std::fill(fitted.begin(), fitted.end(), 0.0);
    for (std::size_t g = 0; g < scales; ++g) {
        for (std::size_t k = 0; k < m; ++k) {
            fitted[k] += share_of[g] / total * all_fitted[g * m + k];
        }
    }
    for (std::size_t k = 0; k < m; ++k) {
        // The fit smooths the weights, but a fit that misses must not invent them.
        const double clamped = std::clamp(fitted[k], 0.6 * smooth[k], 1.7 * smooth[k]);
        noise[k] *= std::pow(clamped / smooth[k], 2 * series.law);
        smooth[k] = clamped;
    }
    for (std::size_t g = 0; g < scales; ++g) {
        for (std::size_t k = 0; k < m; ++k) {
            mean_variance[k] += share_of[g] / total * (noise[k] + square(space_.tau[g] * smooth[k]));
        }
    }
    result.mixture.scale.assign(scales, 0);
    result.mixture.freedom.assign(scales, 0);
    result.mixture.log_prior = space_.log_tau_prior;
    result.variance.resize(m);
    for (std::size_t k = 0; k < m; ++k) {
        w_[k] = 1 / mean_variance[k];
        result.variance[k] = mean_variance[k] * size_ * size_;
    }
    for (std::size_t g = 0; g < scales; ++g) {
        double scale = 0, share = 0;
        for (std::size_t k = 0; k < m; ++k) {
            const double variance = noise[k] + square(space_.tau[g] * smooth[k]);
            scale += std::log(variance / mean_variance[k]) / space_.points;
            share += noise[k] / variance / space_.points;
        }
        result.mixture.scale[g] = std::exp(scale);
        result.mixture.freedom[g] = std::min(nu / (share * share + 1e-12), 1e9);
    }
    sum_columns(y_);
}

} // namespace steelyard
