// Breadth-first search.
//
// Work item: (vertex, level), with the vertex that it comes from.
// On receipt: keep it if its level is less than what is known of the vertex.
// When current: every neighbour is one level further.
//
// With a class for each level it is level-synchronous; other orders correct levels until they are right.
#pragma once

#include <limits>
#include <vector>

#include "agm/order.hpp"
#include "agm/prefetched_rows.hpp"
#include "graph/csr.hpp"
#include "harness/rates.hpp"

namespace goodsyard::agm {

class Bfs : public PrefetchedRows {
  public:
    struct Item {
        graph::Vertex vertex;
        graph::Vertex parent;
        std::uint32_t level;

        // For caches of what was sent.
        [[nodiscard]] std::uint64_t key() const { return vertex; }
        [[nodiscard]] std::uint32_t& value() { return level; }
        [[nodiscard]] std::uint32_t value() const { return level; }
    };
    static constexpr Work edge_work = Work::visit;
    static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

    /// `by_level`: items come level by level, so that the first one for a vertex is the best.
    Bfs(const graph::Csr& graph, bool by_level) : PrefetchedRows(graph), by_level_(by_level) {}

    /// Forget the last source. Returns the initial work items of this rank.
    std::vector<Item> begin(graph::Vertex root) {
        levels_.assign(graph_.count(), unreached);
        parents_.assign(graph_.count(), graph::no_vertex);
        is_final_.assign(graph_.count() / word + 1, 0);
        const Item first{root, root, 0};
        return graph_.owns(root) && receive(first) ? std::vector<Item>{first} : std::vector<Item>{};
    }

    bool receive(const Item& item) {
        const std::size_t local = graph_.owners.local(item.vertex);
        // A bit a vertex stays in the nearest cache, levels do not.
        if ((is_final_[local / word] >> (local % word)) & 1U || item.level >= levels_[local]) {
            return false;
        }
        is_final_[local / word] |= std::uint64_t{by_level_} << (local % word);
        levels_[local] = item.level;
        parents_[local] = item.parent;
        return true;
    }

    [[nodiscard]] bool is_current(const Item& item) const {
        return item.level == levels_[graph_.owners.local(item.vertex)];
    }

    template <class Emit>
    void process(const Item& item, Emit& emit) {
        for (const graph::Vertex neighbour : graph_.neighbours(graph_.owners.local(item.vertex))) {
            emit(Item{neighbour, item.vertex, item.level + 1});
        }
    }

    static Key key(const Order& order, const Item& item) { return order.key(item.level, item.level); }

    /// Levels as distances: infinite where there is no path.
    [[nodiscard]] std::vector<float> distances() const {
        std::vector<float> result;
        for (const std::uint32_t level : levels_) {
            result.push_back(level == unreached ? std::numeric_limits<float>::infinity()
                                                : static_cast<float>(level));
        }
        return result;
    }
    /// The root is its own; no_vertex where there is no path.
    [[nodiscard]] const std::vector<graph::Vertex>& parents() const { return parents_; }

  private:
    static constexpr std::size_t word = 64;

    const bool by_level_;
    std::vector<std::uint64_t> is_final_; ///< A bit for each vertex.
    std::vector<std::uint32_t> levels_;
    std::vector<graph::Vertex> parents_;
};

} // namespace goodsyard::agm
