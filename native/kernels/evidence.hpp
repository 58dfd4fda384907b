// Evidence of a fit as a function of its chi-square alone.
//
// The points have variances s_g V_k with V_k known in shape; the scale s_g = (noise + discrepancy tau_g) / V
// has prior pi_g, and the noise part was estimated with nu degrees of freedom. With the d coefficients
// integrated out the residual of m points has density, up to a factor that is common to all candidates,
//
//   T_d(chi2) = sum_g pi_g c_g s_g^{-(m-d)/2} (1 + chi2 / (s_g nu_g))^{-(nu_g + m - d)/2}
//
// where c_g normalises Student's t. T is tabulated at eight places an octave, evenly spaced within it so that
// the place is in the leading bits of chi2, and ln T interpolated linearly, because a search asks for it
// thousands of times.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace steelyard {

struct ScaleMixture {
    std::vector<double> scale;     // s_g, relative to V
    std::vector<double> freedom;   // nu_g
    std::vector<double> log_prior; // ln pi_g
};

// ln of the g-th summand of T_d for m - d = `freedom` degrees of freedom.
double log_summand(const ScaleMixture& mixture, std::size_t g, int freedom, double chi2);

// The probability of each discrepancy given fits of the same points: the summands' shares.
class DiscrepancyShares {
  public:
    explicit DiscrepancyShares(const ScaleMixture& mixture) : mixture_(mixture) {}
    // Of a fit of `chi2` with `freedom` points to spare. What does not depend on chi2 is kept from fit to
    // fit.
    void find(int freedom, double chi2, std::span<double> share);

  private:
    const ScaleMixture& mixture_;
    struct Constants {
        int freedom;
        std::vector<double> shares;
    };
    std::vector<Constants> known_; // fits have few different numbers of points to spare
};

class EvidenceTable {
  public:
    // Prepares T for `freedom` = m - d >= 0, exact from `chi2_min` on.
    void prepare(const ScaleMixture& mixture, int freedom, double chi2_min);
    double log_at(double chi2);
    // The same for who asks once: nothing is filled in on the way.
    [[nodiscard]] double log_at_once(double chi2) const;

  private:
    static constexpr int leading = 49; // bits of a double behind sign, exponent and three of the fraction
    static constexpr std::size_t length = std::size_t{28} * 8;
    void fill(std::size_t to);
    [[nodiscard]] double exact_at(std::size_t place) const;
    // Linear between the values of two places, by the bits of what lies there.
    static double between(double below, double above, std::uint64_t bits);
    [[nodiscard]] double exact(double chi2) const;

    // Summands whose scale and freedom are practically equal are one.
    struct Summand {
        double constant, scale, freedom;
    };
    std::vector<Summand> summand_;
    int freedom_ = 0;
    double start_ = 1;
    std::uint64_t first_ = 0; // leading bits of the first place
    std::size_t filled_ = 0;
    std::array<double, length + 1> value_{};
};

} // namespace steelyard
