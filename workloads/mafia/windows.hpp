// The adaptive grid of MAFIA: each dimension is cut into windows of about equal density (Nagesh, Goil,
// Choudhary, "Adaptive Grids for Clustering Massive Data Sets", SDM 2001, DOI 10.1137/1.9781611972719.7).
#pragma once

#include <cstdint>
#include <vector>

#include "mafia/points.hpp"

namespace goodsyard::mafia {

/// How the grid is made; the values of the paper's code.
struct GridOptions {
    double alpha = 1.5;      ///< A window is dense with so many times what uniform points would give.
    double beta = 0.25;      ///< Neighbours merge when their largest bins differ by this, relative, or less.
    int least_bins = 1000;   ///< Bins of a dimension, at least; one a unit of its range where that is more.
    int uniform_windows = 5; ///< of a dimension whose windows all merged.
    int most_windows = 100;  ///< before merging.

    /// A unit of no points, or of one, is no part of a cluster, however few points all are.
    static constexpr std::int64_t least_threshold = 2;
    static constexpr double epsilon = 1e-8; ///< added to the largest coordinate: intervals are half-open.
};

/// An interval of one dimension.
struct Window {
    int dimension = 0;
    int number = 0; ///< among the windows of its dimension: neighbours differ by 1
    int first_bin = 0;
    int bins = 0;
    std::int64_t largest_bin = 0; ///< points in its fullest bin
    std::int64_t threshold = 0;   ///< points that anything dense in this window has, at least
    double lower = 0;
    double upper = 0;

    [[nodiscard]] bool dense() const { return largest_bin * bins >= threshold; }
};

/// The windows of one dimension whose bins hold `histogram` points, from `least` to `most`; none where all
/// coordinates are equal. `points` is how many there are in all.
std::vector<Window> cut_dimension(int dimension, const std::vector<std::int64_t>& histogram, double least,
                                  double most, std::size_t points, const GridOptions& options);

/// The dense windows of all dimensions, by dimension and position.
std::vector<Window> find_dense_windows(const Points& points, const GridOptions& options);

} // namespace goodsyard::mafia
