// k-cores: the largest k for which a vertex is in a subgraph whose degrees are at least k.
//
// Work item: (vertex, degree): the vertex has so many neighbours left. At first a vertex has all of them.
// On receipt of a neighbour's removal: one neighbour less, and an item of the degree that is left, or of the
// class that is current where that is more. When current: the vertex is removed, and all neighbours are told.
//
// Classes are the degrees: peeling from the lowest (Batagelj and Zaversnik, An O(m) algorithm for cores
// decomposition, 2003, arXiv:cs/0310049).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agm/order.hpp"
#include "agm/prefetched_rows.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

class Cores : public PrefetchedRows {
  public:
    struct Item {
        graph::Vertex vertex;
        std::uint32_t left; ///< On its way from a neighbour: the core of that one.
    };

    explicit Cores(const graph::Csr& graph) : PrefetchedRows(graph) {}

    /// Returns the initial work items of this rank.
    std::vector<Item> begin() {
        left_.resize(graph_.count());
        is_removed_.assign(graph_.count(), false);
        std::vector<Item> items;
        for (std::size_t local = 0; local < left_.size(); ++local) {
            left_[local] = static_cast<std::uint32_t>(graph_.degree(local));
            items.push_back({graph_.vertex(local), left_[local]});
        }
        return items;
    }

    /// What was of a neighbour becomes an item of the vertex itself.
    bool receive(Item& item) {
        const std::size_t local = graph_.owners.local(item.vertex);
        if (is_removed_[local] || left_[local] <= item.left) {
            return false; // It is in the class that is current already.
        }
        --left_[local];
        item.left = left_[local];
        return true;
    }

    [[nodiscard]] bool is_current(const Item& item) const {
        const std::size_t local = graph_.owners.local(item.vertex);
        return !is_removed_[local] && item.left == left_[local];
    }

    template <class Emit>
    void process(const Item& item, Emit& emit) {
        const std::size_t local = graph_.owners.local(item.vertex);
        is_removed_[local] = true;
        for (const graph::Vertex neighbour : graph_.neighbours(local)) {
            emit(Item{neighbour, item.left});
        }
    }

    static Key key(const Order& /*order*/, const Item& item) { return item.left; }

    /// The core number of each vertex.
    [[nodiscard]] const std::vector<std::uint32_t>& cores() const { return left_; }

  private:
    std::vector<std::uint32_t> left_; ///< Neighbours not removed; once removed itself, the core.
    std::vector<bool> is_removed_;
};

} // namespace goodsyard::agm
