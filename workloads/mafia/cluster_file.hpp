// Clusters as files: their boxes, and their points.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mafia/clusters.hpp"

namespace goodsyard::mafia {

/// Write a row for each dimension of each cluster: cluster, its points, dimension, and where its bounding box
/// begins and ends. Raises SharedFailure where that fails.
void write_clusters(const std::vector<Cluster>& clusters, const std::string& path);

/// Write a row for each point of each cluster: its place among all points, from 0, and the cluster. Raises
/// SharedFailure where that fails.
void write_members(const std::vector<Cluster>& clusters, std::size_t points, const std::string& path);

} // namespace goodsyard::mafia
