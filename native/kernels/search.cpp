#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace steelyard {

namespace {

constexpr double nothing = -1e300;
constexpr double far_below = 18; // e^-18: a candidate this far below the best changes no digit that is shown
} // namespace

void SearchSpace::finish() {
    const auto m = static_cast<std::size_t>(points);
    const auto n = static_cast<std::size_t>(columns);
    column_mean.assign(n, 0);
    raw = column;
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
    for (auto* v : {&s1_, &s2_, &sy_, &mean_, &centred_, &ry_, &gain_}) {
        v->resize(n);
    }
    cross_.resize(space.triples - space.pairs);
    pair_chi2_.resize(cross_.size());
    log_weight_.resize(space.terms.size());
    alive_.reserve(space.terms.size());
}

void Search::judge(Found& result) {
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
        if (m > d && (d < max_coefficients || space_.triples < count)) {
            table_[at].prepare(result.mixture, m - d, least);
        }
        limit[at] = m > d ? 0 : nothing;
    }
    // The scale at which the best fit would lie, for the share of the posterior on allowed coefficients.
    double total = 0, mean = 0, top = nothing;
    const int freedom = std::max(m - 2, 1);
    for (std::size_t g = 0; g < result.mixture.scale.size(); ++g) {
        top = std::max(top, log_summand(result.mixture, g, freedom, least));
    }
    for (std::size_t g = 0; g < result.mixture.scale.size(); ++g) {
        const double p = std::exp(log_summand(result.mixture, g, freedom, least) - top);
        total += p;
        mean += p * result.mixture.scale[g];
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
        const double evidence = d == 1 ? table_[at].log_at_once(residual) : table_[at].log_at(residual);
        double log_weight = space_.log_prior[q] + log_factorial[at] + d * volume + evidence;
        // sqrt|Cov| differs by less than e^12 between candidates, unless values range far; one that is out by
        // more needs no further look.
        if (!wide_ && log_weight < best - far_below - 12) {
            continue;
        }
        const double factor = occam(q, d);
        log_weight += factor > 0 ? std::log(factor) : nothing;
        if (log_weight > best - far_below) {
            best = std::max(best, log_weight);
            log_weight_[q] = log_weight;
            alive_.push_back(static_cast<std::int32_t>(q));
        }
    }
    const bool hopeless = alive_.empty();
    if (hopeless) {
        // Nothing has a weight that a double can hold: the constant, which always exists, stands in.
        alive_.push_back(0);
        log_weight_[0] = best = 0;
    }
    double sum = 0;
    for (const auto q : alive_) {
        auto& weight = log_weight_[static_cast<std::size_t>(q)];
        weight = weight > best - far_below ? std::exp(weight - best) : 0;
        sum += weight;
    }
    result.group_posterior.assign(static_cast<std::size_t>(space_.groups), 0.0);
    for (const auto q : alive_) {
        auto& weight = log_weight_[static_cast<std::size_t>(q)];
        weight /= sum;
        result.group_posterior[static_cast<std::size_t>(space_.group[static_cast<std::size_t>(q)])] += weight;
    }
    double log_det_v = 0;
    for (int k = 0; k < m; ++k) {
        log_det_v -= std::log(w_[static_cast<std::size_t>(k)]);
    }
    result.log_evidence = hopeless ? nothing : best + std::log(sum) - 0.5 * log_det_v - m * volume;
}

// The heaviest half of what is kept exactly; the rest stands for all others by systematic sampling, so that
// intervals do not shrink because candidates are many.
void Search::choose(std::size_t keep, Found& result) {
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
    result.components.resize(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto q = chosen[i].first;
        const bool paired = q >= space_.pairs && q < space_.triples;
        auto& component = result.components[i];
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

void Search::run(const Series& series, std::size_t keep, Found& result) {
    weigh(series, result);
    fit_pairs();
    judge(result);
    choose(keep, result);
}

} // namespace steelyard
