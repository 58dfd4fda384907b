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
    std::size_t components = 0;
    const double *weight = nullptr, *chi2 = nullptr, *coefficient = nullptr, *covariance = nullptr;
    const std::int64_t* left = nullptr; // points less coefficients
};

class Drawing {
  public:
    explicit Drawing(const DrawNumbers& numbers);
    // Fills one component, discrepancy and max_coefficients coefficients a draw.
    void run(const Mixture& from, const ScaleMixture& scales, std::int64_t* component,
             std::int64_t* discrepancy, double* coefficient);

  private:
    // Under one discrepancy: the square of what coefficients are spread by, times a chi-square; the degrees
    // of freedom of that, and what its quantiles are made from.
    struct Spread {
        double square, freedom, middle, slope;
    };
    void prepare(const Mixture& from, const ScaleMixture& scales, std::size_t component,
                 DiscrepancyShares& shares);
    template <std::size_t used>
    void draw_one(std::size_t discrepancy, std::size_t d, double* out) const;

    const DrawNumbers& numbers_;
    std::vector<std::size_t> order_; // of the draws, by place: those of one component follow each other
    // Of the component that is being drawn: its coefficients, the lower root of their covariance, how many
    // there are, the probability of each discrepancy given its fit, and the spread under each.
    const double* centre_ = nullptr;
    std::array<double, std::size_t{max_coefficients} * max_coefficients> root_{};
    std::size_t used_ = 0;
    std::vector<double> share_;
    std::vector<Spread> spread_;
};

// Drawn formulas of one function. `discrepancy` has the relative distance of truth and formula at a measured
// point that each was drawn with, `miss` what a kept component misses by at least beyond the data.
struct Formulas {
    const std::int32_t* candidate = nullptr; // of each kept component
    const std::int64_t* component = nullptr;
    const double *coefficient = nullptr, *discrepancy = nullptr, *miss = nullptr;
};

// A point: the value of every column there, and how much larger than at a measured point a distance is.
struct Target {
    const std::int32_t* members; // of each candidate, max_terms
    const double* basis;
    double beyond;
};

// Fills one value a draw. A formula misses by its shape, which is in what grows or falls: a constant part is
// as far from the truth at the target as where it was measured.
void predict(const Formulas& from, const Target& target, std::span<const double> normal, double* value);

// Whether a formula can be shown: its terms grow, and where a coefficient is negative it is not below 0 at
// any of the points (`basis`: columns x points). A constant below `rounding` is 0.
bool makes_sense(const std::int32_t* member, const double* coefficient, const double* scale,
                 const double* basis, std::size_t points, double rounding);

// Quantiles of the values, whose order is lost; `quantile` ascends.
void quantiles(std::span<double> value, std::span<const double> quantile, double* found);

} // namespace steelyard
