#include "evidence.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {

namespace {

// ln of the constant of a `left`-variate t density with nu degrees of freedom, without the powers of pi.
double log_constant(double nu, int left, double scale) {
    const double half = 0.5 * left;
    // Beyond a million degrees of freedom the quotient of gammas is (nu/2)^half to twelve digits.
    const double gammas =
        nu > 1e6 ? 0.0 : std::lgamma(0.5 * nu + half) - std::lgamma(0.5 * nu) - half * std::log(0.5 * nu);
    return gammas - half * std::log(scale);
}

double log_kernel(double nu, int left, double scale, double chi2) {
    return nu > 1e6 ? -0.5 * chi2 / scale : -0.5 * (nu + left) * std::log1p(chi2 / (scale * nu));
}

} // namespace

double log_summand(const ScaleMixture& mixture, std::size_t g, int left, double chi2) {
    const double nu = mixture.freedom[g];
    const double scale = mixture.scale[g];
    return mixture.log_prior[g] + log_constant(nu, left, scale) + log_kernel(nu, left, scale, chi2);
}

void DiscrepancyShares::find(int left, double chi2, double* share) {
    const std::size_t count = mixture_.scale.size();
    if (left != left_) {
        left_ = left;
        constant_.resize(count);
        for (std::size_t g = 0; g < count; ++g) {
            constant_[g] = mixture_.log_prior[g] + log_constant(mixture_.freedom[g], left, mixture_.scale[g]);
        }
    }
    double best = -1e300, sum = 0;
    for (std::size_t g = 0; g < count; ++g) {
        share[g] = constant_[g] + log_kernel(mixture_.freedom[g], left, mixture_.scale[g], chi2);
        best = std::max(best, share[g]);
    }
    for (std::size_t g = 0; g < count; ++g) {
        share[g] = share[g] > best - 40 ? std::exp(share[g] - best) : 0;
        sum += share[g];
    }
    for (std::size_t g = 0; g < count; ++g) {
        share[g] /= sum;
    }
}

void EvidenceTable::prepare(const ScaleMixture& mixture, int left, double chi2_min) {
    left_ = left;
    summand_.clear();
    const auto near = [](double a, double b) { return std::abs(a - b) <= 0.005 * std::abs(b); };
    double smallest = mixture.scale[0];
    for (std::size_t g = 0; g < mixture.scale.size(); ++g) {
        const double scale = mixture.scale[g], freedom = mixture.freedom[g];
        smallest = std::min(smallest, scale);
        const auto same = std::find_if(summand_.begin(), summand_.end(), [&](const Summand& s) {
            return near(scale, s.scale) && near(freedom, s.freedom);
        });
        if (same != summand_.end()) {
            same->constant += std::exp(mixture.log_prior[g]);
        } else {
            summand_.push_back({std::exp(mixture.log_prior[g]), scale, freedom});
        }
    }
    for (auto& summand : summand_) {
        summand.constant = std::log(summand.constant) + log_constant(summand.freedom, left, summand.scale);
    }
    // Below a thousandth of the smallest scale T is flat.
    start_ = std::max(chi2_min, 1e-3 * smallest);
    value_[0] = exact(start_);
    peak_ = value_[0];
    filled_ = 0;
}

double EvidenceTable::exact(double chi2) const {
    double best = -1e300;
    std::array<double, 64> value{};
    const std::size_t count = std::min(summand_.size(), value.size());
    for (std::size_t g = 0; g < count; ++g) {
        const auto& summand = summand_[g];
        value[g] = summand.constant + log_kernel(summand.freedom, left_, summand.scale, chi2);
        best = std::max(best, value[g]);
    }
    double sum = 0;
    for (std::size_t g = 0; g < count; ++g) {
        // A summand e^-40 below the best is below the last bit of the sum.
        if (value[g] > best - 40) {
            sum += std::exp(value[g] - best);
        }
    }
    return best + std::log(sum);
}

double EvidenceTable::log_at(double chi2) {
    const double octaves = chi2 > start_ ? per_octave * std::log2(chi2 / start_) : 0.0;
    if (octaves >= length) {
        return -1e300;
    }
    const int below = static_cast<int>(octaves);
    if (below >= filled_) {
        fill(below + 1);
    }
    const double part = octaves - below;
    return value_[static_cast<std::size_t>(below)] * (1 - part) +
           value_[static_cast<std::size_t>(below) + 1] * part;
}

void EvidenceTable::fill(int to) {
    for (int i = filled_ + 1; i <= to; ++i) {
        // Once far below the peak nothing is looked at again; the straight line down is enough.
        const auto at = static_cast<std::size_t>(i);
        value_[at] = value_[at - 1] < peak_ - 60
                         ? value_[at - 1] - 1
                         : exact(start_ * std::exp2(static_cast<double>(i) / per_octave));
    }
    filled_ = std::max(filled_, to);
}

} // namespace steelyard
