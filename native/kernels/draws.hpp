// Equally likely formulas out of a posterior: a component, a discrepancy, a scale, then coefficients.
//
// The same random numbers serve every function, so that a result does not depend on its neighbours; they come
// from the caller.
#pragma once

#include "search.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace steelyard {

// What all functions share: random numbers, one of each a draw (normals: `attempts` sets of
// max_coefficients).
struct DrawNumbers {
    std::span<const double> place;         // in (0, 1), evenly spread: which component
    std::span<const double> pick;          // in (0, 1): which discrepancy
    std::span<const double> chi;           // normal: the scale
    std::span<const double> normal;        // normal: coefficients
    std::span<const std::uint8_t> lenient; // whether a negative constant is let through
    std::size_t attempts = 1;
};

// The kept components of one function.
struct Mixture {
    std::span<const double> weight, chi2;
    std::span<const double> coefficient;        // max_coefficients of each
    std::span<const double> covariance;         // … squared
    std::span<const std::int64_t> freedom_left; // points less coefficients
};

class Drawing {
  public:
    explicit Drawing(const DrawNumbers& numbers);
    // Fills one component, discrepancy and max_coefficients coefficients a draw.
    void run(const Mixture& from, const ScaleMixture& scales, std::span<std::int64_t> component,
             std::span<std::int64_t> discrepancy, std::span<double> coefficient);

  private:
    // Under one discrepancy: the square of what coefficients are spread by, times a chi-square; the degrees
    // of freedom of that, and what its quantiles are made from.
    struct Spread {
        double square, freedom, middle, slope;
    };
    void prepare(const Mixture& from, const ScaleMixture& scales, std::size_t component,
                 DiscrepancyShares& shares);
    template <std::size_t used>
    void draw_one(std::size_t discrepancy, std::size_t d, std::span<double> out) const;

    const DrawNumbers& numbers_;
    std::vector<std::size_t> order_; // of the draws, by place: those of one component follow each other
    // Of the component that is being drawn: its coefficients, the lower root of their covariance, how many
    // there are, the probability of each discrepancy given its fit, and the spread under each.
    std::span<const double> centre_;
    std::array<double, std::size_t{max_coefficients} * max_coefficients> root_{};
    std::size_t used_ = 0;
    std::vector<double> share_;
    std::vector<Spread> spread_;
};

// Drawn formulas of one function. `discrepancy` has the relative distance of truth and formula at a measured
// point that each was drawn with, `miss` what a kept component misses by at least beyond the data.
struct Formulas {
    std::span<const std::int32_t> candidate; // of each kept component
    std::span<const std::int64_t> component;
    std::span<const double> coefficient, discrepancy, miss;
};

// A point: the value of every column there, and how much larger than at a measured point a distance is.
struct Target {
    std::span<const std::int32_t> members; // of each candidate, max_terms
    std::span<const double> basis;
    double beyond;
};

// Fills one value a draw. A formula misses by its shape, which is in what grows or falls: a constant part is
// as far from the truth at the target as where it was measured.
void predict(const Formulas& from, const Target& target, std::span<const double> normal,
             std::span<double> value);

// Whether a formula can be shown: its terms grow, and where a coefficient is negative it is not below 0 at
// any of the points (`basis`: columns x points). A constant below `rounding` is 0.
bool makes_sense(std::span<const std::int32_t> member, std::span<const double> coefficient,
                 std::span<const double> scale, std::span<const double> basis, double rounding);

// Quantiles of the values, whose order is lost; `quantile` ascends.
void quantiles(std::span<double> value, std::span<const double> quantile, std::span<double> result);

} // namespace steelyard
