// Clusters that are known to be there: axis-parallel boxes in some of the dimensions, drawn by a seed.
#pragma once

#include <cstdint>
#include <vector>

namespace goodsyard::mafia {

/// A planted cluster: its dimensions, ascending, and its half-open interval in each of them.
struct Box {
    std::vector<int> dimensions;
    std::vector<double> lower;
    std::vector<double> upper;
};

/// What is planted. Coordinates lie in [0, extent).
struct Plan {
    std::uint64_t points = 100'000;
    int dimensions = 20;
    int clusters = 3;
    int cluster_dimensions = 3; ///< k
    double fraction = 0.9;      ///< of the points that belong to a cluster
    int shared = 0;             ///< dimensions in which all clusters overlap
    double shift = 0;           ///< of a side: how far a box lies beyond the one before in these
    std::uint64_t seed = 1;

    static constexpr double extent = 100;
    static constexpr double side = 10; ///< of a box, in each of its dimensions
    static constexpr double gap = 3;   ///< at least, between two boxes in a dimension that both have
};

/// Draw the boxes. One cluster has dimensions 0 … k−1; of several, each has the shared ones and random ones
/// beside them. Raises UsageError where k exceeds the dimensions or is less than what is shared, a number is
/// not positive, or so many boxes do not fit.
std::vector<Box> draw_boxes(const Plan& plan);

struct Points;

/// Draw the points: each belongs to one of the boxes with probability `fraction`, and is uniform elsewhere.
Points draw_points(const Plan& plan, const std::vector<Box>& boxes);

} // namespace goodsyard::mafia
