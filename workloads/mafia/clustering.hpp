// MAFIA, "Merging of Adaptive Finite Intervals": clusters in subspaces, from dense windows of one dimension
// to dense units of more and more.
//
// Levels a = 1, 2, …: of the candidates of a windows, pcount keeps the dense ones; gen joins these to
// candidates of a + 1, dedup leaves each once, and unjoin finds what became part of nothing larger. A cluster
// of k dimensions has 2^k − 1 dense units on the way, whence the growth with 2^k.
#pragma once

#include <vector>

#include "harness/phases.hpp"
#include "mafia/clusters.hpp"
#include "mafia/counts.hpp"
#include "mafia/points.hpp"
#include "mafia/variants.hpp"
#include "mafia/windows.hpp"

namespace goodsyard::mafia {

struct Clustering {
    std::vector<Cluster> clusters; ///< by number of dimensions
    std::vector<Window> windows;   ///< the dense ones, which the units of clusters are made of
    Counts counts;
};

/// The algorithm with its phases, each of which is timed and counts its main operation.
class Mafia {
  public:
    /// Adds the phases.
    explicit Mafia(Phases& phases);

    /// Cluster points. Raises UsageError where more windows are dense than a unit can hold.
    Clustering cluster(const Points& points, const GridOptions& grid, const Variants& variants);

    /// The same from windows that are set.
    Clustering cluster_in(const Points& points, std::vector<Window> windows, const Variants& variants);

  private:
    template <int Words>
    std::vector<Cluster> climb(const Points& points, const Grid& grid, const Variants& variants,
                               Counts& counts);
    template <class Work>
    auto timed(std::size_t phase, Work work);

    Phases& phases_;
    std::size_t windows_;
    std::size_t bitmaps_;
    std::size_t gen_;
    std::size_t dedup_;
    std::size_t pcount_;
    std::size_t unjoin_;
    std::size_t clusters_;
};

} // namespace goodsyard::mafia
