#include "evidence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace steelyard {

namespace {

constexpr double nothing = -1e300;
constexpr double far_down = 45; // e^-45: more than what is looked at again, prior included

// Whether two scales, or two degrees of freedom, are practically equal.
bool near(double a, double b) {
    return std::abs(a - b) <= 0.005 * std::abs(b);
}

// ln of the constant of a `freedom`-variate t density with nu degrees of freedom, without the powers of pi.
double log_constant(double nu, int freedom, double scale) {
    const double half = 0.5 * freedom;
    // Beyond a million degrees of freedom the quotient of gammas is (nu/2)^half to twelve digits.
    const double gammas =
        nu > 1e6 ? 0.0 : std::lgamma(0.5 * nu + half) - std::lgamma(0.5 * nu) - half * std::log(0.5 * nu);
    return gammas - half * std::log(scale);
}

double log_kernel(double nu, int freedom, double scale, double chi2) {
    return nu > 1e6 ? -0.5 * chi2 / scale : -0.5 * (nu + freedom) * std::log(1 + chi2 / (scale * nu));
}

} // namespace

double log_summand(const ScaleMixture& mixture, std::size_t g, int freedom, double chi2) {
    const double nu = mixture.freedom[g];
    const double scale = mixture.scale[g];
    return mixture.log_prior[g] + log_constant(nu, freedom, scale) + log_kernel(nu, freedom, scale, chi2);
}

void DiscrepancyShares::find(int freedom, double chi2, std::span<double> share) {
    const std::size_t count = mixture_.scale.size();
    auto entry =
        std::find_if(known_.begin(), known_.end(), [=](const auto& k) { return k.freedom == freedom; });
    if (entry == known_.end()) {
        entry = known_.insert(known_.end(), {freedom, std::vector<double>(count)});
        for (std::size_t g = 0; g < count; ++g) {
            entry->shares[g] =
                mixture_.log_prior[g] + log_constant(mixture_.freedom[g], freedom, mixture_.scale[g]);
        }
    }
    double best = nothing, sum = 0;
    for (std::size_t g = 0; g < count; ++g) {
        // Discrepancies far below the noise are one.
        const bool is_same = g > 0 && near(mixture_.scale[g], mixture_.scale[g - 1]) &&
                             near(mixture_.freedom[g], mixture_.freedom[g - 1]);
        share[g] = is_same
                       ? share[g - 1] + mixture_.log_prior[g] - mixture_.log_prior[g - 1]
                       : entry->shares[g] + log_kernel(mixture_.freedom[g], freedom, mixture_.scale[g], chi2);
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

void EvidenceTable::prepare(const ScaleMixture& mixture, int freedom, double chi2_min) {
    freedom_ = freedom;
    summand_.clear();
    double smallest = mixture.scale[0];
    for (std::size_t g = 0; g < mixture.scale.size(); ++g) {
        const double scale = mixture.scale[g], nu = mixture.freedom[g];
        smallest = std::min(smallest, scale);
        const auto entry = std::find_if(summand_.begin(), summand_.end(), [&](const Summand& s) {
            return near(scale, s.scale) && near(nu, s.freedom);
        });
        if (entry != summand_.end()) {
            entry->constant += std::exp(mixture.log_prior[g]);
        } else {
            summand_.push_back({std::exp(mixture.log_prior[g]), scale, nu});
        }
    }
    for (auto& summand : summand_) {
        summand.constant = std::log(summand.constant) + log_constant(summand.freedom, freedom, summand.scale);
    }
    // Below a thousandth of the smallest scale T is flat.
    start_ = std::max(chi2_min, 1e-3 * smallest);
    first_ = std::bit_cast<std::uint64_t>(start_) >> leading;
    filled_ = 0;
}

double EvidenceTable::exact_at(std::size_t place) const {
    return exact(place == 0 ? start_ : std::bit_cast<double>((first_ + place) << leading));
}

double EvidenceTable::exact(double chi2) const {
    double best = -1e300;
    std::array<double, 64> value{};
    const std::size_t count = std::min(summand_.size(), value.size());
    for (std::size_t g = 0; g < count; ++g) {
        const auto& summand = summand_[g];
        value[g] = summand.constant + log_kernel(summand.freedom, freedom_, summand.scale, chi2);
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
    const auto bits = std::bit_cast<std::uint64_t>(std::max(chi2, start_));
    const auto below = static_cast<std::size_t>((bits >> leading) - first_);
    if (below >= length) {
        return nothing;
    }
    if (below >= filled_) {
        fill(below + 1);
    }
    return between(value_[below], value_[below + 1], bits);
}

double EvidenceTable::log_at_once(double chi2) const {
    const auto bits = std::bit_cast<std::uint64_t>(std::max(chi2, start_));
    const auto below = static_cast<std::size_t>((bits >> leading) - first_);
    return below < length ? between(exact_at(below), exact_at(below + 1), bits) : nothing;
}

double EvidenceTable::between(double below, double above, std::uint64_t bits) {
    constexpr std::uint64_t unit = std::uint64_t{1} << leading;
    const double part = static_cast<double>(bits & (unit - 1)) / static_cast<double>(unit);
    return below * (1 - part) + above * part;
}

void EvidenceTable::fill(std::size_t to) {
    if (filled_ == 0) {
        value_[0] = exact_at(0);
    }
    for (std::size_t at = filled_ + 1; at <= to; ++at) {
        // Once far below the peak nothing is looked at again; the straight line down is enough.
        value_[at] = value_[at - 1] < value_[0] - far_down ? value_[at - 1] - 1 : exact_at(at);
    }
    filled_ = std::max(filled_, to);
}

} // namespace steelyard
