// The equations that BT, SP and LU solve [1, section 3]: a compressible flow in a cube, of which the exact
// solution is known, since a forcing is added that makes a chosen polynomial one.
//
// At each of n^3 points there are five values: density, three components of momentum, energy. Fluxes are
// differences of second order between neighbours, viscous terms are second differences, and a fourth
// difference of each value is added for stability. All three axes have n points. Points on the surface of the
// cube keep the exact solution.
//
// Encoding: a row of points along x is n | 1 values of the first component, then of the second, …: loops over
// x are for vector units, and no stride is a power of two.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "npb/kernel.hpp"

namespace goodsyard::npb {

using Index = std::ptrdiff_t;

inline constexpr std::size_t components = 5;
inline constexpr std::size_t axes = 3;
using State = std::array<double, components>;

/// Coefficients of the equations, as the specification numbers them: C1 to C5.
namespace gas {
inline constexpr double c1 = 1.4; ///< Ratio of specific heats.
inline constexpr double c2 = c1 - 1;
inline constexpr double viscosity = 0.1;                                 ///< C3 C4.
inline constexpr double conduction = c1 * c1 * viscosity;                ///< C1 C3 C4 C5.
inline constexpr std::array<double, axes> dissipation = {0.75, 0.75, 1}; ///< Second differences, by axis.
inline constexpr double smoothing = 0.25;                                ///< Fourth differences.
/// Of viscosity, by whether a velocity is along the axis of the difference.
inline constexpr double along = 4.0 / 3, across = 1;
} // namespace gas

/// A problem as the specification sets it, and what verifies its result.
struct FlowSize {
    Index n; ///< Points along each axis.
    int iterations;
    double step;
    State residuals, errors; ///< Official.
};

inline constexpr Index longest_flow_row = 104;
using FlowRow = std::array<double, longest_flow_row>;

/// Five values at each of n^3 points.
class Field {
  public:
    explicit Field(Index n)
        : n_(n), length_(n | 1), values_(std::make_unique_for_overwrite<double[]>(
                                     static_cast<std::size_t>(n * n * length_) * components)) {}

    [[nodiscard]] Index n() const { return n_; }
    /// Distance of one component to the next in a row, of a row to the next, of a plane to the next.
    [[nodiscard]] Index component_stride() const { return length_; }
    [[nodiscard]] Index row_stride() const { return static_cast<Index>(components) * length_; }
    [[nodiscard]] Index plane_stride() const { return n_ * row_stride(); }

    /// The first component of a row; the others follow.
    double* row(Index z, Index y) { return &values_[static_cast<std::size_t>((z * n_ + y) * row_stride())]; }
    [[nodiscard]] const double* row(Index z, Index y) const {
        return &values_[static_cast<std::size_t>((z * n_ + y) * row_stride())];
    }

    double& at(Index z, Index y, Index x, std::size_t component) {
        return row(z, y)[static_cast<Index>(component) * length_ + x];
    }
    [[nodiscard]] double at(Index z, Index y, Index x, std::size_t component) const {
        return row(z, y)[static_cast<Index>(component) * length_ + x];
    }

  private:
    Index n_, length_;
    std::unique_ptr<double[]> values_;
};

/// The exact solution at a point of the unit cube.
State exact(double x, double y, double z);

/// Set the surface to the exact solution, and what is inside to a blend of opposite faces.
void set_start(Field& u);

/// Set all points to the exact solution.
void set_exact(Field& u);

/// Weights of a fourth difference at inner point i of n: one-sided beside the surface.
std::array<double, 5> fourth_difference(Index i, Index n);

/// Root mean square over inner points of each component.
State inner_norms(const Field& field);

/// The same of the distance to the exact solution, which the surface has.
State errors(const Field& u);

/// Checks of five norms of one kind.
void append_checks(std::vector<Check>& checks, const std::string& subject, const State& computed,
                   const State& official);

/// Fluxes, viscous terms and dissipation, with the memory that threads need for them.
class Operator {
  public:
    explicit Operator(Index n);

    /// At inner points, to = scale (forcing + operator of u); without a forcing, scale times the operator.
    void apply(const Field& u, const Field* forcing, double scale, Field& to);

    /// Set the forcing by which the exact solution is steady; `scratch` is overwritten.
    void set_forcing(Field& scratch, Field& forcing);

  private:
    std::size_t plane_size_;
    std::vector<std::unique_ptr<double[]>> planes_; ///< For each thread, derived quantities of three planes.
};

} // namespace goodsyard::npb
