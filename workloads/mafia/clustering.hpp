// MAFIA, "Merging of Adaptive Finite Intervals": clusters in subspaces, from dense windows of one dimension
// to dense units of more and more.
//
// Levels a = 1, 2, …: of the candidates of a windows, pcount keeps the dense ones; gen joins these to
// candidates of a + 1, dedup leaves each once, and unjoin finds what became part of nothing larger. A cluster
// of k dimensions has 2^k − 1 dense units on the way, whence the growth with 2^k.
#pragma once

#include <array>
#include <vector>

#include "mafia/clusters.hpp"
#include "mafia/counts.hpp"
#include "mafia/points.hpp"
#include "mafia/variants.hpp"
#include "mafia/windows.hpp"

namespace workloads::mafia {

enum class Phase : int { windows, bitmaps, gen, dedup, pcount, unjoin, clusters };
constexpr std::array phase_names = {"windows", "bitmaps", "gen", "dedup", "pcount", "unjoin", "clusters"};

/// Seconds by phase.
using PhaseSeconds = std::array<double, phase_names.size()>;

struct Clustering {
    std::vector<Cluster> clusters; ///< by number of dimensions
    Counts counts;
    PhaseSeconds seconds = {};
    std::size_t dense_windows = 0;
};

/// Cluster points. Raises InputError where more windows are dense than a unit can hold.
Clustering cluster(const Points& points, const GridOptions& grid, const Variants& variants);

/// The same from windows that are set. `points` is what they were found in.
Clustering cluster_in(const Points& points, std::vector<Window> windows, const Variants& variants);

} // namespace workloads::mafia
