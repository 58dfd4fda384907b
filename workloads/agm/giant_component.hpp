// The component of the vertex with most neighbours, which in many graphs is nearly all of the graph.
//
// Slota, Rajamanickam, Madduri: BFS and coloring-based parallel algorithms for strongly connected components
// and related problems, IPDPS 2014, DOI 10.1109/IPDPS.2014.64: one breadth-first search, turning around where
// the frontier is large, looks at a part of the edges; labels are for what it does not reach
// (components.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "agm/direction_bfs.hpp"

namespace goodsyard::agm {

class GiantComponent {
  public:
    GiantComponent(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime)
        : team_(team), graph_(graph), search_(team, graph, runtime) {}

    /// Collective.
    void find() {
        search_.run(hub());
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            if (has(local)) {
                least = std::min(least, graph_.owners.number(graph_.vertex(local)));
                if (graph_.owners.ascend()) {
                    break;
                }
            }
        }
        label_ = static_cast<graph::Vertex>(team_.all(Fold::min, least));
    }

    [[nodiscard]] bool has(std::size_t local) const { return search_.parents()[local] != graph::no_vertex; }
    /// The least number of its vertices.
    [[nodiscard]] graph::Vertex label() const { return label_; }

  private:
    /// Of vertices with equally many neighbours that of the least name. Collective.
    [[nodiscard]] graph::Vertex hub() const {
        std::size_t place = 0;
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            place = graph_.degree(local) > graph_.degree(place) ? local : place;
        }
        const bool has_any = graph_.count() > 0;
        const std::uint64_t local = has_any ? graph_.degree(place) : 0;
        const std::uint64_t most = team_.all(Fold::max, local);
        const bool is_here = has_any && local == most;
        const std::uint64_t named = is_here ? graph_.vertex(place) : std::uint64_t{graph::no_vertex};
        return static_cast<graph::Vertex>(team_.all(Fold::min, named));
    }

    const Team& team_;
    const graph::Csr& graph_;
    DirectionBfs search_;
    graph::Vertex label_ = 0;
};

} // namespace goodsyard::agm
