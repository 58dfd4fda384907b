// How much of what was planted has been found.
#pragma once

#include <vector>

#include "mafia/clusters.hpp"
#include "mafia/planted.hpp"
#include "mafia/points.hpp"

namespace goodsyard::mafia {

/// One planted cluster and the found one of the same dimensions; all 0 where none has these.
struct Recovered {
    bool found = false;
    double recall = 0;       ///< of the points in the box, the fraction in the cluster
    double precision = 0;    ///< of the points in the cluster, the fraction in the box
    double largest_edge = 0; ///< distance between a side of the box and that of the cluster's, at most
};

/// One entry a planted box. A box's points are those that lie in it, noise included.
std::vector<Recovered> compare(const std::vector<Box>& planted, const std::vector<Cluster>& clusters,
                               const Points& points);

} // namespace goodsyard::mafia
