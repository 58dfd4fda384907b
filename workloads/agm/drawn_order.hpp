// An order of vertices that is drawn, the same for any number of ranks, and algorithms that are greedy in it.
//
// A vertex is decided when all its neighbours before it are. What comes of that is what one process would
// find that goes through the vertices in this order, whatever the order of messages is, after O(log n) rounds
// of messages for the set and O(log n / log log n) for colours of bounded degree, both with high probability
// (Blelloch, Fineman, Shun 2012, DOI 10.1145/2312005.2312058; Jones and Plassmann 1993, DOI 10.1137/0914041).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "agm/prefetched_rows.hpp"
#include "graph/csr.hpp"
#include "harness/random.hpp"

namespace goodsyard::agm {

/// Where a vertex stands by its number: equal for no two.
inline std::uint64_t place_in_drawn_order(std::uint64_t number) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15; // mix64 leaves 0 where it is.
    return mix64((number + 1) * golden);
}

/// What algorithms in the drawn order have in common: for how many neighbours each vertex waits.
class InDrawnOrder : public PrefetchedRows {
  public:
    explicit InDrawnOrder(const graph::Csr& graph) : PrefetchedRows(graph) {}

    [[nodiscard]] bool is_before(graph::Vertex a, graph::Vertex b) const {
        return place_in_drawn_order(graph_.owners.number(a)) < place_in_drawn_order(graph_.owners.number(b));
    }

  protected:
    /// Vertices wait for all neighbours before them. Returns places of those that wait for none.
    std::vector<std::size_t> begin_waiting() {
        waiting_.assign(graph_.count(), 0);
        std::vector<std::size_t> first;
        for (std::size_t local = 0; local < waiting_.size(); ++local) {
            const std::uint64_t own_part = place_of(graph_.vertex(local));
            for (const graph::Vertex neighbour : graph_.neighbours(local)) {
                waiting_[local] += place_of(neighbour) < own_part ? 1 : 0;
            }
            if (waiting_[local] == 0) {
                first.push_back(local);
            }
        }
        return first;
    }

    /// Calls `visit` with every neighbour that comes after a vertex.
    template <class Visit>
    void for_later_neighbours(std::size_t local, Visit visit) const {
        const std::uint64_t own = place_of(graph_.vertex(local));
        for (const graph::Vertex neighbour : graph_.neighbours(local)) {
            if (place_of(neighbour) > own) {
                visit(neighbour);
            }
        }
    }

    /// Neighbours before each own vertex that are not decided.
    std::vector<std::uint32_t> waiting_;

  private:
    [[nodiscard]] std::uint64_t place_of(graph::Vertex vertex) const {
        return place_in_drawn_order(graph_.owners.number(vertex));
    }
};

} // namespace goodsyard::agm
