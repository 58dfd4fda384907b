// Connected components, by the least label.
//
// Work item: (vertex, label, level). At first every vertex with neighbours has its own number as label.
// On receipt: keep it if its label is less than that of the vertex.
// When current: every neighbour may have this label.
//
// Under Dijkstra's order a component is flooded by its least label, and every vertex is worked on once.
#pragma once

#include <cstdint>
#include <vector>

#include "agm/order.hpp"
#include "agm/prefetched_rows.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

class Components : public PrefetchedRows {
  public:
    struct Item {
        graph::Vertex vertex;
        graph::Vertex label; ///< The number of a vertex.
        std::uint32_t level;

        // For caches of what was sent.
        [[nodiscard]] std::uint64_t key() const { return vertex; }
        [[nodiscard]] graph::Vertex& value() { return label; }
        [[nodiscard]] graph::Vertex value() const { return label; }
    };

    explicit Components(const graph::Csr& graph) : PrefetchedRows(graph) {}

    /// Returns the initial work items of this rank.
    std::vector<Item> begin() {
        return begin([](std::size_t) { return false; }, 0);
    }
    /// The same where a component is known: the vertices that are `in` it have its label, and no work.
    template <class In>
    std::vector<Item> begin(In in, graph::Vertex label) {
        labels_.resize(graph_.count());
        std::vector<Item> items;
        for (std::size_t local = 0; local < labels_.size(); ++local) {
            const bool is_known = in(local);
            labels_[local] = is_known ? label : own_label(local);
            if (!is_known && graph_.degree(local) > 0) {
                items.push_back({graph_.vertex(local), labels_[local], 0});
            }
        }
        return items;
    }

    bool receive(const Item& item) {
        graph::Vertex& label = labels_[graph_.owners.local(item.vertex)];
        if (item.label >= label) {
            return false;
        }
        label = item.label;
        return true;
    }

    [[nodiscard]] bool is_current(const Item& item) const {
        return item.label == labels_[graph_.owners.local(item.vertex)];
    }

    template <class Emit>
    void process(const Item& item, Emit& emit) {
        for (const graph::Vertex neighbour : graph_.neighbours(graph_.owners.local(item.vertex))) {
            emit(Item{neighbour, item.label, item.level + 1});
        }
    }

    static Key key(const Order& order, const Item& item) { return order.key(item.label, item.level); }

    /// The least number of a vertex of the component.
    [[nodiscard]] const std::vector<graph::Vertex>& labels() const { return labels_; }

  private:
    [[nodiscard]] graph::Vertex own_label(std::size_t local) const {
        return static_cast<graph::Vertex>(graph_.owners.number(graph_.vertex(local)));
    }

    std::vector<graph::Vertex> labels_;
};

} // namespace goodsyard::agm
