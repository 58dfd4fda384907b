// Colours of vertices, of which no two neighbours have the same: the least that no neighbour before has.
//
// Work item: (vertex, colour). At first: vertices that wait for no neighbour, with colour 0.
// On receipt of the colour of a neighbour before it: kept apart; when it is the last that was waited for, an
// item of the least colour that is not among them.
// When current: the neighbours behind it are told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agm/drawn_order.hpp"
#include "agm/order.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

class Colouring : public InDrawnOrder {
  public:
    struct Item {
        graph::Vertex vertex;
        std::uint32_t colour; ///< On its way from a neighbour: that of the neighbour.
    };

    using InDrawnOrder::InDrawnOrder;

    /// Returns the initial work items of this rank.
    std::vector<Item> begin() {
        std::vector<Item> items;
        for (const std::size_t local : begin_waiting()) {
            items.push_back({graph_.vertex(local), 0});
        }
        begin_.assign(1, 0);
        for (const std::uint32_t before : waiting_) {
            begin_.push_back(begin_.back() + before);
        }
        before_.resize(begin_.back());
        colours_.assign(graph_.count(), 0);
        return items;
    }

    /// What was of a neighbour becomes an item of the vertex itself, when it is the last.
    bool receive(Item& item) {
        const std::size_t local = graph_.owners.local(item.vertex);
        --waiting_[local];
        before_[begin_[local] + waiting_[local]] = item.colour;
        if (waiting_[local] > 0) {
            return false;
        }
        item.colour = colours_[local] = least_free(local);
        return true;
    }

    [[nodiscard]] static bool is_current(const Item& /*item*/) { return true; }

    template <class Emit>
    void process(const Item& item, Emit& emit) {
        for_later_neighbours(graph_.owners.local(item.vertex),
                             [&](graph::Vertex neighbour) { emit(Item{neighbour, item.colour}); });
    }

    static Key key(const Order& /*order*/, const Item& /*item*/) { return 0; }

    [[nodiscard]] const std::vector<std::uint32_t>& colours() const { return colours_; }

  private:
    /// The least colour that no neighbour before a vertex has.
    std::uint32_t least_free(std::size_t local) {
        const auto first = before_.begin() + static_cast<std::ptrdiff_t>(begin_[local]);
        const auto last = before_.begin() + static_cast<std::ptrdiff_t>(begin_[local + 1]);
        std::sort(first, last);
        std::uint32_t free = 0;
        for (auto colour = first; colour != last && *colour <= free; ++colour) {
            free = *colour + 1;
        }
        return free;
    }

    std::vector<std::uint64_t> begin_;  ///< In before_, of each own vertex, and the end of the last.
    std::vector<std::uint32_t> before_; ///< Colours of neighbours before, as they arrive.
    std::vector<std::uint32_t> colours_;
};

} // namespace goodsyard::agm
