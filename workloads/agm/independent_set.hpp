// A maximal independent set: no two of its vertices are neighbours, and every other vertex has one in it.
//
// Work item: (vertex, whether it is in the set). At first: vertices that wait for no neighbour, which are.
// On receipt of what a neighbour before it is: out where that is in; in where none is left to wait for.
// When current: the neighbours behind it are told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agm/drawn_order.hpp"
#include "agm/order.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

class IndependentSet : public InDrawnOrder {
  public:
    struct Item {
        graph::Vertex vertex;
        std::uint32_t is_in; ///< On its way: whether the neighbour that sent it is.
    };

    using InDrawnOrder::InDrawnOrder;

    /// Returns the initial work items of this rank.
    std::vector<Item> begin() {
        std::vector<Item> items;
        members_.assign(graph_.count(), 0);
        for (const std::size_t local : begin_waiting()) {
            members_[local] = 1;
            items.push_back({graph_.vertex(local), 1});
        }
        return items;
    }

    /// What was of a neighbour becomes an item of the vertex itself, once.
    bool receive(Item& item) {
        const std::size_t local = graph_.owners.local(item.vertex);
        if (waiting_[local] == 0) {
            return false; // It is decided already.
        }
        if (item.is_in != 0) {
            waiting_[local] = 0;
            item.is_in = 0;
            return true;
        }
        --waiting_[local];
        members_[local] = waiting_[local] == 0 ? 1 : 0;
        item.is_in = members_[local];
        return waiting_[local] == 0;
    }

    [[nodiscard]] static bool is_current(const Item& /*item*/) { return true; }

    template <class Emit>
    void process(const Item& item, Emit& emit) {
        for_later_neighbours(graph_.owners.local(item.vertex),
                             [&](graph::Vertex neighbour) { emit(Item{neighbour, item.is_in}); });
    }

    static Key key(const Order& /*order*/, const Item& /*item*/) { return 0; }

    /// Of each vertex, 1 where it is in the set, else 0.
    [[nodiscard]] const std::vector<std::uint32_t>& members() const { return members_; }

    /// Vertices of this rank that are in it.
    [[nodiscard]] std::uint64_t count() const {
        return static_cast<std::uint64_t>(std::count(members_.begin(), members_.end(), 1U));
    }

  private:
    std::vector<std::uint32_t> members_;
};

} // namespace goodsyard::agm
