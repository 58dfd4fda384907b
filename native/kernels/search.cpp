#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
// The wide version is chosen when the module is loaded, so that one wheel serves every x86-64.
#define STEELYARD_WIDE [[gnu::target_clones("arch=x86-64-v3", "default")]]
#else
#define STEELYARD_WIDE
#endif

namespace steelyard {

namespace {

constexpr double nothing = -1e300;
constexpr double far_below = 18; // e^-18: a candidate this far below the best changes no digit that is shown
constexpr double resolution = 1e-8; // of a point's value and uncertainty, relative to the largest value
constexpr std::size_t block = 256;

double square(double x) {
    return x * x;
}

// A logistic curve stands for the normal distribution: within 0.01 everywhere, which is finer than the prior
// it weighs.
double normal_cdf(double z) {
    return 1 / (1 + std::exp(-1.702 * z));
}

} // namespace

// The three loops below are all the arithmetic that grows with points x columns.
STEELYARD_WIDE void add_columns(std::size_t columns, const double* column, double w, double wy, double* s1,
                                double* s2, double* sy) {
    for (std::size_t c = 0; c < columns; ++c) {
        const double f = column[c];
        s1[c] += w * f;
        s2[c] += w * f * f;
        sy[c] += wy * f;
    }
}

STEELYARD_WIDE void add_products(std::size_t pairs, const double* product, double w, double* cross) {
    for (std::size_t q = 0; q < pairs; ++q) {
        cross[q] += w * product[q];
    }
}

STEELYARD_WIDE void solve_pairs(std::size_t pairs, const std::array<std::int32_t, max_terms>* terms,
                                const double* s1, const double* mean, const double* centred, const double* ry,
                                double sum_yy, double* cross, double* chi2) {
    for (std::size_t q = 0; q < pairs; ++q) {
        const auto i = static_cast<std::size_t>(terms[q][0]);
        const auto j = static_cast<std::size_t>(terms[q][1]);
        const double a12 = cross[q] - s1[i] * mean[j];
        const double both = centred[i] * centred[j];
        const double det = both - a12 * a12;
        const double b1 = (centred[j] * ry[i] - a12 * ry[j]) / det;
        const double b2 = (centred[i] * ry[j] - a12 * ry[i]) / det;
        const double rest = sum_yy - b1 * ry[i] - b2 * ry[j];
        cross[q] = a12;
        // Columns that differ by less than this cannot be told apart in double precision.
        chi2[q] = det > 1e-11 * both ? (rest > 0 ? rest : 0.0) : std::numeric_limits<double>::infinity();
    }
}

void SearchSpace::finish() {
    const auto m = static_cast<std::size_t>(points);
    const auto n = static_cast<std::size_t>(columns);
    column_mean.assign(n, 0);
    for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t c = 0; c < n; ++c) {
            column_mean[c] += column[k * n + c] / points;
        }
    }
    for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t c = 0; c < n; ++c) {
            column[k * n + c] -= column_mean[c];
        }
    }
    const std::size_t count = triples - pairs;
    product.assign(m * count, 0);
    for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t q = 0; q < count; ++q) {
            const auto& pair = terms[pairs + q];
            product[k * count + q] = column[k * n + static_cast<std::size_t>(pair[0])] *
                                     column[k * n + static_cast<std::size_t>(pair[1])];
        }
    }
}

Search::Search(const SearchSpace& space) : space_(space) {
    const auto m = static_cast<std::size_t>(space.points);
    const auto n = static_cast<std::size_t>(space.columns);
    for (auto* v : {&y_, &w_, &wy_}) {
        v->resize(m);
    }
    for (auto* v : {&s1_, &s2_, &sy_, &mean_, &centred_, &ry_}) {
        v->resize(n);
    }
    cross_.resize(space.triples - space.pairs);
    pair_chi2_.resize(cross_.size());
    log_weight_.resize(space.terms.size());
    alive_.reserve(space.terms.size());
}

void Search::sum_columns(const double* y) {
    const auto m = static_cast<std::size_t>(space_.points);
    const auto n = static_cast<std::size_t>(space_.columns);
    sum_w_ = 0;
    mean_y_ = 0;
    for (std::size_t k = 0; k < m; ++k) {
        sum_w_ += w_[k];
        mean_y_ += w_[k] * y[k];
    }
    mean_y_ /= sum_w_;
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
            add_columns(length, &space_.column[k * n + from], w_[k], wy_[k], &s1_[from], &s2_[from],
                        &sy_[from]);
        }
    }
    for (std::size_t c = 0; c < n; ++c) {
        mean_[c] = s1_[c] / sum_w_;
        centred_[c] = s2_[c] - s1_[c] * mean_[c];
        ry_[c] = sy_[c]; // y is centred already
    }
}

// The chi-square of the best growing one-term candidate (or the constant), and its fitted values.
double Search::best_single(double* fitted) {
    const auto m = static_cast<std::size_t>(space_.points);
    const auto n = static_cast<std::size_t>(space_.columns);
    double best = sum_yy_;
    std::size_t chosen = n;
    double slope = 0;
    for (std::size_t q = space_.singles; q < space_.pairs; ++q) {
        const auto c = static_cast<std::size_t>(space_.terms[q][0]);
        const double gain = ry_[c] * ry_[c] / centred_[c];
        if (ry_[c] > 0 && sum_yy_ - gain < best) {
            best = sum_yy_ - gain;
            chosen = c;
            slope = ry_[c] / centred_[c];
        }
    }
    for (std::size_t k = 0; k < m; ++k) {
        fitted[k] = mean_y_ + (chosen < n ? slope * (space_.column[k * n + chosen] - mean_[chosen]) : 0.0);
    }
    return std::max(best, 0.0);
}

// Shape and scale of the points' variances: noise that grows by its law plus discrepancy, in a first pass
// over one-term fits.
void Search::weigh(const Series& series, Found& found) {
    const auto m = static_cast<std::size_t>(space_.points);
    const std::size_t scales = space_.tau.size();
    size_ = 0;
    for (std::size_t k = 0; k < m; ++k) {
        size_ = std::max(size_, std::abs(series.y[k]));
    }
    std::vector<double> noise(m), fitted(m), smooth(m), mean_variance(m, 0.0), log_fit(scales);
    size_ = size_ > 0 ? size_ : 1;
    for (std::size_t k = 0; k < m; ++k) {
        y_[k] = series.y[k] / size_;
        // Weights of points must stay within what double precision can add up.
        noise[k] = std::max(series.u2[k] / size_ / size_, square(resolution));
        smooth[k] = std::max(std::abs(y_[k]), resolution);
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
        sum_columns(y_.data());
        const double chi2 = best_single(&all_fitted[g * m]);
        const double half = 0.5 * (freedom[g] + space_.points - 2);
        log_fit[g] = space_.log_tau_prior[g] - 0.5 * log_det -
                     (freedom[g] > 1e6 ? 0.5 * chi2 : half * std::log1p(chi2 / freedom[g]));
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
    found.mixture.scale.assign(scales, 0);
    found.mixture.freedom.assign(scales, 0);
    found.mixture.log_prior = space_.log_tau_prior;
    found.variance.resize(m);
    for (std::size_t k = 0; k < m; ++k) {
        w_[k] = 1 / mean_variance[k];
        found.variance[k] = mean_variance[k] * size_ * size_;
    }
    for (std::size_t g = 0; g < scales; ++g) {
        double scale = 0, share = 0;
        for (std::size_t k = 0; k < m; ++k) {
            const double variance = noise[k] + square(space_.tau[g] * smooth[k]);
            scale += std::log(variance / mean_variance[k]) / space_.points;
            share += noise[k] / variance / space_.points;
        }
        found.mixture.scale[g] = std::exp(scale);
        found.mixture.freedom[g] = std::min(nu / (share * share + 1e-12), 1e9);
    }
    sum_columns(y_.data());
}

void Search::fit_pairs() {
    const std::size_t count = cross_.size();
    const auto m = static_cast<std::size_t>(space_.points);
    std::fill(cross_.begin(), cross_.end(), 0.0);
    for (std::size_t from = 0; from < count; from += 2 * block) {
        const std::size_t length = std::min(2 * block, count - from);
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
                sum += w_[k] * space_.column[k * n + at[i]] * space_.column[k * n + at[j]];
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
            with_constant -= inverse[i][j] * (mean_[at[j]] + space_.column_mean[at[j]]);
            component.covariance[(i + 1) * max_coefficients + j + 1] = inverse[i][j];
        }
        const double mean = mean_[at[i]] + space_.column_mean[at[i]];
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

double Search::log_allowed(double coefficient, double variance) const {
    const double z = coefficient / std::sqrt(variance * typical_scale_);
    return z < -2 ? nothing : (z > 4 ? 0.0 : std::log(normal_cdf(z)));
}

double Search::log_allowed_constant(double coefficient, double variance) const {
    const double z = coefficient / std::sqrt(variance * typical_scale_);
    if (z > 4) {
        return 0;
    }
    const double positive = z < -30 ? 0 : normal_cdf(z);
    return std::log(positive + space_.negative_constant * (1 - positive));
}

// ln of sqrt|Cov| times the posterior probability that the coefficients are allowed.
double Search::occam(std::size_t candidate, int coefficients) const {
    if (coefficients == 1) {
        return -0.5 * std::log(sum_w_);
    }
    const auto& terms = space_.terms[candidate];
    const auto i = static_cast<std::size_t>(terms[0]);
    const double mi = mean_[i] + space_.column_mean[i];
    if (coefficients == 2) {
        const double b = ry_[i] / centred_[i], v = 1 / centred_[i];
        const double allowed = log_allowed(b, v);
        return allowed == nothing
                   ? nothing
                   : allowed + log_allowed_constant(mean_y_ - b * mi, 1 / sum_w_ + mi * mi * v) -
                         0.5 * std::log(sum_w_ * centred_[i]);
    }
    if (coefficients == 3) {
        const auto j = static_cast<std::size_t>(terms[1]);
        const double mj = mean_[j] + space_.column_mean[j], a12 = cross_[candidate - space_.pairs];
        const double det = centred_[i] * centred_[j] - a12 * a12;
        const double b1 = (centred_[j] * ry_[i] - a12 * ry_[j]) / det,
                     b2 = (centred_[i] * ry_[j] - a12 * ry_[i]) / det;
        const double first = log_allowed(b1, centred_[j] / det), second = log_allowed(b2, centred_[i] / det);
        if (first == nothing || second == nothing) {
            return nothing;
        }
        const double variance =
            1 / sum_w_ + (mi * mi * centred_[j] - 2 * mi * mj * a12 + mj * mj * centred_[i]) / det;
        return first + second + log_allowed_constant(mean_y_ - b1 * mi - b2 * mj, variance) -
               0.5 * std::log(sum_w_ * det);
    }
    Component component;
    if (!solve(candidate, -1, component)) {
        return nothing;
    }
    const auto& v = component.covariance;
    double sum = log_allowed_constant(component.coefficient[0], v[0]);
    for (std::size_t k = 1; k < max_coefficients; ++k) {
        const double allowed = log_allowed(component.coefficient[k], v[k * (max_coefficients + 1)]);
        if (allowed == nothing) {
            return nothing;
        }
        sum += allowed;
    }
    const double det = v[5] * (v[10] * v[15] - v[11] * v[14]) - v[6] * (v[9] * v[15] - v[11] * v[13]) +
                       v[7] * (v[9] * v[14] - v[10] * v[13]);
    return det > 0 ? sum + 0.5 * std::log(det / sum_w_) : nothing;
}

void Search::judge(Found& found) {
    const std::size_t count = space_.terms.size();
    const auto m = space_.points;
    double least = sum_yy_;
    std::vector<double>& chi2 = log_weight_; // first the chi-square, then the weight of each candidate
    for (std::size_t q = 0; q < count; ++q) {
        const double inf = std::numeric_limits<double>::infinity();
        if (q < space_.singles) {
            chi2[q] = sum_yy_;
        } else if (q < space_.pairs) {
            const auto c = static_cast<std::size_t>(space_.terms[q][0]);
            chi2[q] = centred_[c] > 0 ? std::max(sum_yy_ - ry_[c] * ry_[c] / centred_[c], 0.0) : inf;
        } else if (q < space_.triples) {
            chi2[q] = pair_chi2_[q - space_.pairs];
        } else {
            Component component;
            chi2[q] = solve(q, -1, component) ? component.chi2 : inf;
        }
        least = std::min(least, chi2[q]);
    }
    std::array<double, max_coefficients + 1> limit{};
    for (int d = 1; d <= max_coefficients; ++d) {
        const auto at = static_cast<std::size_t>(d);
        if (m > d) {
            table_[at].prepare(found.mixture, m - d, least);
        }
        limit[at] = m > d ? 0 : nothing;
    }
    // The scale at which the best fit would lie, for the share of the posterior on allowed coefficients.
    double total = 0, mean = 0, top = nothing;
    const int left = std::max(m - 2, 1);
    for (std::size_t g = 0; g < found.mixture.scale.size(); ++g) {
        top = std::max(top, log_summand(found.mixture, g, left, least));
    }
    for (std::size_t g = 0; g < found.mixture.scale.size(); ++g) {
        const double p = std::exp(log_summand(found.mixture, g, left, least) - top);
        total += p;
        mean += p * found.mixture.scale[g];
    }
    typical_scale_ = mean / total;

    alive_.clear();
    double best = nothing;
    const double volume = 0.5 * std::log(2 * std::numbers::pi);
    constexpr std::array<double, max_coefficients + 1> log_factorial{0, 0, 0, 0.6931471805599453,
                                                                     1.791759469228055}; // ln (d-1)!
    for (std::size_t q = 0; q < count; ++q) {
        const int d = q < space_.singles ? 1 : q < space_.pairs ? 2 : q < space_.triples ? 3 : 4;
        const auto at = static_cast<std::size_t>(d);
        if (limit[at] < 0 || !std::isfinite(chi2[q])) {
            continue;
        }
        const double residual = chi2[q];
        double log_weight =
            space_.log_prior[q] + log_factorial[at] + d * volume + table_[at].log_at(residual);
        // sqrt|Cov| differs by less than e^12 between candidates; one that is out by more needs no further
        // look.
        if (log_weight < best - far_below - 12) {
            continue;
        }
        log_weight += occam(q, d);
        if (log_weight > best - far_below) {
            best = std::max(best, log_weight);
            log_weight_[q] = log_weight;
            alive_.push_back(static_cast<std::int32_t>(q));
        }
    }
    if (alive_.empty()) {
        // Nothing has a weight that a double can hold: the constant, which always exists, stands in.
        alive_.push_back(0);
        log_weight_[0] = best;
    }
    double sum = 0;
    for (const auto q : alive_) {
        auto& weight = log_weight_[static_cast<std::size_t>(q)];
        weight = weight > best - far_below ? std::exp(weight - best) : 0;
        sum += weight;
    }
    found.group_posterior.assign(static_cast<std::size_t>(space_.groups), 0.0);
    for (const auto q : alive_) {
        auto& weight = log_weight_[static_cast<std::size_t>(q)];
        weight /= sum;
        found.group_posterior[static_cast<std::size_t>(space_.group[static_cast<std::size_t>(q)])] += weight;
    }
    double log_det_v = 0;
    for (int k = 0; k < m; ++k) {
        log_det_v -= std::log(w_[static_cast<std::size_t>(k)]);
    }
    found.log_evidence = best + std::log(sum) - 0.5 * log_det_v - m * volume;
}

// The heaviest half of what is kept exactly; the rest stands for all others by systematic sampling, so that
// intervals do not shrink because candidates are many.
void Search::choose(std::size_t keep, Found& found) {
    const auto weight = [this](std::int32_t q) { return log_weight_[static_cast<std::size_t>(q)]; };
    std::erase_if(alive_, [&](std::int32_t q) { return weight(q) <= 0; });
    const bool all = alive_.size() <= keep;
    const std::size_t heavy = all ? alive_.size() : keep / 2;
    std::partial_sort(alive_.begin(), alive_.begin() + static_cast<std::ptrdiff_t>(heavy), alive_.end(),
                      [&](std::int32_t a, std::int32_t b) {
                          return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
                      });
    std::vector<std::pair<std::size_t, double>> chosen;
    for (std::size_t i = 0; i < heavy; ++i) {
        chosen.emplace_back(static_cast<std::size_t>(alive_[i]), weight(alive_[i]));
    }
    if (!all) {
        double rest = 0;
        for (std::size_t i = heavy; i < alive_.size(); ++i) {
            rest += weight(alive_[i]);
        }
        const double step = rest / static_cast<double>(keep - heavy);
        double next = 0.5 * step, passed = 0;
        for (std::size_t i = heavy; i < alive_.size() && chosen.size() < keep; ++i) {
            passed += weight(alive_[i]);
            double stands_for = 0;
            while (next <= passed && next < rest) {
                stands_for += step;
                next += step;
            }
            if (stands_for > 0) {
                chosen.emplace_back(static_cast<std::size_t>(alive_[i]), stands_for);
            }
        }
    }
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    found.components.resize(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto q = chosen[i].first;
        const bool paired = q >= space_.pairs && q < space_.triples;
        auto& component = found.components[i];
        solve(q, paired ? pair_chi2_[q - space_.pairs] : -1, component);
        component.weight = chosen[i].second;
        component.own_weight = log_weight_[q];
        for (auto& b : component.coefficient) {
            b *= size_;
        }
        for (auto& v : component.covariance) {
            v *= size_ * size_;
        }
    }
}

void Search::run(const Series& series, std::size_t keep, Found& found) {
    weigh(series, found);
    fit_pairs();
    judge(found);
    choose(keep, found);
}

} // namespace steelyard
