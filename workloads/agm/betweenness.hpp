// Betweenness centrality: how many shortest paths (of edges of length 1) lead over a vertex.
//
// Brandes: A faster algorithm for betweenness centrality, J. Mathematical Sociology 2001, DOI
// 10.1080/0022250X.2001.9990249: paths are counted outwards from a source, level by level, and dependencies
//     δ(v) = Σ σ(v) / σ(w) (1 + δ(w)) over the vertices w that v comes before
// are added up on the way back, from the last level to the first. Both are machines with a class for each
// level.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "agm/order.hpp"
#include "agm/prefetched_rows.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

/// Work item: (vertex, level, paths that lead to it over one neighbour).
/// On receipt: keep the first; add up those of the same level.
/// When current: all paths to the vertex go on to every neighbour.
class PathCounts : public PrefetchedRows {
  public:
    struct Item {
        graph::Vertex vertex;
        std::uint32_t level;
        double paths;

        // For caches of what was sent.
        [[nodiscard]] std::uint64_t key() const { return (std::uint64_t{level} << 32U) | vertex; }
        [[nodiscard]] double& value() { return paths; }
        [[nodiscard]] double value() const { return paths; }
    };
    static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

    explicit PathCounts(const graph::Csr& graph) : PrefetchedRows(graph) {}

    std::vector<Item> begin(graph::Vertex root) {
        levels_.assign(graph_.count(), unreached);
        paths_.assign(graph_.count(), 0);
        const Item first{root, 0, 1};
        return graph_.owns(root) && receive(first) ? std::vector<Item>{first} : std::vector<Item>{};
    }

    bool receive(const Item& item) {
        const std::size_t local = graph_.owners.local(item.vertex);
        const bool is_first = levels_[local] == unreached;
        if (is_first) {
            levels_[local] = item.level;
        }
        // Which it is cannot be guessed: no branch.
        paths_[local] += levels_[local] == item.level ? item.paths : 0;
        return is_first;
    }

    [[nodiscard]] static bool is_current(const Item& /*item*/) { return true; }

    template <class Emit>
    void process(const Item& item, Emit& emit) {
        const std::size_t local = graph_.owners.local(item.vertex);
        const double paths = paths_[local];
        for (const graph::Vertex neighbour : graph_.neighbours(local)) {
            emit(Item{neighbour, item.level + 1, paths});
        }
    }

    static Key key(const Order& /*order*/, const Item& item) { return item.level; }

    [[nodiscard]] const std::vector<std::uint32_t>& levels() const { return levels_; }
    [[nodiscard]] const std::vector<double>& paths() const { return paths_; }

    /// The last level of a vertex of this rank.
    [[nodiscard]] std::uint64_t deepest() const {
        std::uint64_t result = 0;
        for (const std::uint32_t level : levels_) {
            result = level != unreached && level > result ? level : result;
        }
        return result;
    }

  private:
    std::vector<std::uint32_t> levels_;
    std::vector<double> paths_;
};

/// Work item: (vertex, level, (1 + δ) / σ of a neighbour one level further).
/// On receipt: add it up, if the vertex is of that level.
/// When current: every neighbour may depend on the vertex; one level before, it does.
class Dependencies : public PrefetchedRows {
  public:
    struct Item {
        graph::Vertex vertex;
        std::uint32_t level;
        double per_path;

        // For caches of what was sent.
        [[nodiscard]] std::uint64_t key() const { return (std::uint64_t{level} << 32U) | vertex; }
        [[nodiscard]] double& value() { return per_path; }
        [[nodiscard]] double value() const { return per_path; }
    };

    Dependencies(const graph::Csr& graph, const PathCounts& counts) : PrefetchedRows(graph), counts_(counts) {
        scores_.assign(graph.count(), 0);
    }

    /// After the paths from a source are counted; `deepest` is the last level of all ranks.
    std::vector<Item> begin(std::uint64_t deepest) {
        deepest_ = deepest;
        dependencies_.assign(graph_.count(), 0);
        per_path_.assign(graph_.count(), 0);
        std::vector<Item> items;
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            const std::uint32_t level = counts_.levels()[local];
            if (level != PathCounts::unreached && level > 0) {
                items.push_back({graph_.vertex(local), level, 0});
            }
        }
        return items;
    }

    bool receive(const Item& item) {
        const std::size_t local = graph_.owners.local(item.vertex);
        per_path_[local] += counts_.levels()[local] == item.level ? item.per_path : 0;
        return false;
    }

    [[nodiscard]] static bool is_current(const Item& /*item*/) { return true; }

    template <class Emit>
    void process(const Item& item, Emit& emit) {
        const std::size_t local = graph_.owners.local(item.vertex);
        dependencies_[local] = counts_.paths()[local] * per_path_[local];
        scores_[local] += dependencies_[local];
        const double per_path = (1 + dependencies_[local]) / counts_.paths()[local];
        for (const graph::Vertex neighbour : graph_.neighbours(local)) {
            emit(Item{neighbour, item.level - 1, per_path});
        }
    }

    [[nodiscard]] Key key(const Order& /*order*/, const Item& item) const { return deepest_ - item.level; }

    /// δ of each vertex; 0 of the source.
    [[nodiscard]] const std::vector<double>& of_last_source() const { return dependencies_; }
    /// Sums over all sources so far, of ordered pairs.
    [[nodiscard]] const std::vector<double>& scores() const { return scores_; }

  private:
    const PathCounts& counts_;
    std::uint64_t deepest_ = 0;
    std::vector<double> dependencies_;
    std::vector<double> per_path_; ///< δ / σ as far as it is added up.
    std::vector<double> scores_;
};

} // namespace goodsyard::agm
