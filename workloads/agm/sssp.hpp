// Single-source shortest paths.
//
// Work item: (vertex, distance, level), with the vertex that it comes from.
// On receipt: keep it if its distance is less than what is known of the vertex.
// When current: every neighbour may be reached over this vertex.
//
// With classes ⌊distance / Δ⌋ this is Δ-stepping (Meyer and Sanders, J. Algorithms 2003, DOI
// 10.1016/S0196-6774(03)00076-2) without its light and heavy edges, with ⌊level / k⌋ KLA (Harshvardhan et
// al., PACT 2014, DOI 10.1145/2628071.2628091), with a class for each distance Dijkstra's order.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "agm/order.hpp"
#include "agm/remote_distances.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

class Sssp {
  public:
    struct Item {
        graph::Vertex vertex;
        graph::Vertex parent;
        float distance;
        std::uint32_t level;

        // For caches of what was sent.
        [[nodiscard]] std::uint64_t key() const { return vertex; }
        [[nodiscard]] float& value() { return distance; }
        [[nodiscard]] float value() const { return distance; }
    };
    /// What an item is while it waits: its vertex by the place here, whose parent is known.
    struct Kept {
        std::uint32_t local;
        float distance;
        std::uint32_t level;
    };

    /// With `filters`, distances that are not below what other ranks have been sent are not sent.
    explicit Sssp(const graph::Csr& graph, bool filters = false)
        : Sssp(graph, std::span(graph.begin).subspan(1), filters) {}
    /// Neighbours are told along the first edges of a row alone, up to `ends`, which outlives this.
    Sssp(const graph::Csr& graph, std::span<const std::uint64_t> ends, bool filters)
        : graph_(graph), ends_(ends), remote_(graph, filters) {}

    /// Forget the last source. Returns the initial work items of this rank.
    std::vector<Item> begin(graph::Vertex root) {
        distances_.assign(graph_.count(), std::numeric_limits<float>::infinity());
        parents_.assign(graph_.count(), graph::no_vertex);
        remote_.begin();
        const Item first{root, root, 0, 0};
        return graph_.owns(root) && receive(first) ? std::vector<Item>{first} : std::vector<Item>{};
    }

    /// What a machine does with items, by value.
    class View {
      public:
        explicit View(Sssp& sssp)
            : first_(sssp.graph_.vertex(0)), begin_(sssp.graph_.begin.data()), ends_(sssp.ends_.data()),
              targets_(sssp.graph_.targets.data()), weights_(sssp.graph_.weights.data()),
              distances_(sssp.distances_.data()), parents_(sssp.parents_.data()) {}

        [[nodiscard]] bool receive(const Item& item, std::size_t local) const {
            if (item.distance >= distances_[local]) {
                return false;
            }
            distances_[local] = item.distance;
            parents_[local] = item.parent;
            return true;
        }

        [[nodiscard]] static Kept condense(const Item& item, std::size_t local) {
            return {static_cast<std::uint32_t>(local), item.distance, item.level};
        }

        [[nodiscard]] bool is_current(const Kept& item) const {
            return item.distance <= distances_[item.local];
        }

        [[gnu::always_inline]] void prefetch_begin(const Kept& item) const {
            __builtin_prefetch(begin_ + item.local);
            __builtin_prefetch(distances_ + item.local);
        }
        [[gnu::always_inline]] void prefetch_row(const Kept& item) const {
            const std::uint64_t first = begin_[item.local];
            __builtin_prefetch(targets_ + first);
            __builtin_prefetch(weights_ + first);
        }

        template <class Emit>
        [[gnu::always_inline]] void process(const Kept& item, Emit& emit) const {
            const graph::Vertex vertex = first_ + item.local;
            emit.range(begin_[item.local], ends_[item.local], [&](std::uint64_t i) {
                return Item{targets_[i], vertex, item.distance + weights_[i], item.level + 1};
            });
        }

      private:
        graph::Vertex first_; ///< Of this rank.
        const std::uint64_t* begin_;
        const std::uint64_t* ends_;
        const graph::Vertex* targets_;
        const float* weights_;
        float* distances_;
        graph::Vertex* parents_;
    };
    [[nodiscard]] View view() { return View(*this); }
    bool receive(const Item& item) { return view().receive(item, graph_.owners.local(item.vertex)); }

    bool is_news(const Item& item) { return remote_.is_news(item.vertex, item.distance); }

    static Key key(const Order& order, const auto& item) { return order.key(item.distance, item.level); }

    /// Infinite where there is no path.
    [[nodiscard]] const std::vector<float>& distances() const { return distances_; }
    /// The root is its own; no_vertex where there is no path.
    [[nodiscard]] const std::vector<graph::Vertex>& parents() const { return parents_; }
    [[nodiscard]] RemoteDistances& remote() { return remote_; }

  private:
    const graph::Csr& graph_;
    std::span<const std::uint64_t> ends_; ///< Of each own vertex.
    std::vector<float> distances_;
    std::vector<graph::Vertex> parents_;
    RemoteDistances remote_;
};

} // namespace goodsyard::agm
