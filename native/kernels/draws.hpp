// Equally likely formulas out of a posterior: a component, a discrepancy, a scale, then coefficients.
//
// The same random numbers serve every function, so that a result does not depend on its neighbours; they come
// from the caller.
#pragma once

#include "search.hpp"

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

// The kept components of one function. `share` has the probabilities of the discrepancies of each.
struct Mixture {
    std::size_t components = 0, discrepancies = 0;
    const double *weight = nullptr, *chi2 = nullptr, *coefficient = nullptr, *covariance = nullptr;
    const double *share = nullptr, *scale = nullptr, *freedom = nullptr;
    const std::int64_t* left = nullptr; // points less coefficients
};

class Drawing {
  public:
    explicit Drawing(const DrawNumbers& numbers) : numbers_(numbers) {}
    // Fills one component, discrepancy and max_coefficients coefficients a draw.
    void run(const Mixture& from, std::int64_t* component, std::int64_t* discrepancy, double* coefficient);

  private:
    void draw_one(const Mixture& from, std::size_t component, std::size_t discrepancy, std::size_t d,
                  double* out) const;

    const DrawNumbers& numbers_;
    std::vector<double> root_; // lower roots of the covariances
};

} // namespace steelyard
