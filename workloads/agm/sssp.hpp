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

    bool receive(const Item& item) {
        const std::size_t local = graph_.owners.local(item.vertex);
        if (item.distance >= distances_[local]) {
            return false;
        }
        distances_[local] = item.distance;
        parents_[local] = item.parent;
        return true;
    }

    [[nodiscard]] bool is_current(const Item& item) const {
        return item.distance == distances_[graph_.owners.local(item.vertex)];
    }

    void prefetch_begin(const Item& item) const {
        const std::size_t local = graph_.owners.local(item.vertex);
        graph_.prefetch_begin(local);
        __builtin_prefetch(&ends_[local]);
        __builtin_prefetch(&distances_[local]);
    }
    void prefetch_row(const Item& item) const {
        if (!is_current(item)) {
            return; // Its row is not read.
        }
        const std::size_t local = graph_.owners.local(item.vertex);
        graph_.prefetch_neighbours(local, ends_[local]);
        graph_.prefetch_weights(local, ends_[local]);
    }

    template <class Emit>
    void process(const Item& item, Emit emit) {
        const std::size_t local = graph_.owners.local(item.vertex);
        const graph::Vertex* const targets = graph_.targets.data();
        const float* const weights = graph_.weights.data();
        const std::uint64_t end = ends_[local];
        for (std::uint64_t i = graph_.begin[local]; i < end; ++i) {
            emit(Item{targets[i], item.vertex, item.distance + weights[i], item.level + 1});
        }
    }

    bool is_news(const Item& item) { return remote_.is_news(item.vertex, item.distance); }

    static Key key(const Order& order, const Item& item) { return order.key(item.distance, item.level); }

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
