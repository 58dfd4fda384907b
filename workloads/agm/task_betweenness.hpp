// Betweenness centrality by tasks that wait: the algorithm of betweenness.hpp on a global address space.
//
// Outwards, the tasks of a level give each neighbour their paths, and learn whether it lies one level
// further. On the way back they read of each such neighbour what a path to it carries, and add it up.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "global/delegates.hpp"
#include "global/forall.hpp"
#include "global/symmetric.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

class TaskBetweenness {
  public:
    static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

    /// Collective. `runtime` executes items by fibres.
    TaskBetweenness(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime)
        : graph_(graph), runtime_(runtime), delegates_(runtime), everywhere_(team, *this),
          scores_(graph.count(), 0) {}
    TaskBetweenness(const TaskBetweenness&) = delete;
    TaskBetweenness& operator=(const TaskBetweenness&) = delete;

    /// The dependencies of a source, which are added to the scores. Collective.
    void run(graph::Vertex root) {
        levels_.assign(graph_.count(), unreached);
        paths_.assign(graph_.count(), 0);
        dependencies_.assign(graph_.count(), 0);
        order_.clear();
        ends_ = {0};
        if (graph_.owns(root)) {
            reach(graph_.owners.local(root), 0, 1);
        }
        end_level();
        for (std::uint32_t level = outwards(); level > 0; --level) {
            for_level(level, [this](std::size_t local) { collect(local); });
            for (std::size_t i = ends_[level]; i < ends_[level + 1]; ++i) {
                finish(order_[i]);
            }
        }
    }

    [[nodiscard]] const std::vector<std::uint32_t>& levels() const { return levels_; }
    /// δ of each vertex but the source.
    [[nodiscard]] const std::vector<double>& of_last_source() const { return dependencies_; }
    /// Sums over all sources so far, of ordered pairs.
    [[nodiscard]] const std::vector<double>& scores() const { return scores_; }

  private:
    /// Returns the last level that has any vertices.
    std::uint32_t outwards() {
        for (std::uint32_t level = 0;; ++level) {
            const std::uint64_t result =
                for_level(level, [&](std::size_t local) { give_paths(local, level + 1); });
            if (result == 0) {
                return level;
            }
            end_level();
        }
    }
    void end_level() { ends_.push_back(order_.size()); }

    /// `body` for each vertex of a level, on its owner; returns how many were reached meanwhile.
    template <class Body>
    std::uint64_t for_level(std::uint32_t level, Body body) {
        const std::size_t reached = order_.size();
        return global::forall(
                   runtime_, {ends_[level], ends_[level + 1]}, runtime::this_rank(runtime_),
                   [&](std::uint64_t i) { body(order_[i]); },
                   [&] { return runtime::Agreed{.sum = order_.size() - reached}; })
            .sum;
    }

    /// Executed by the owner.
    void reach(std::size_t local, std::uint32_t level, double paths) {
        runtime_.charge(Work::comparison, 1);
        if (levels_[local] == unreached) {
            levels_[local] = level;
            order_.push_back(local);
        }
        if (levels_[local] == level) {
            paths_[local] += paths;
        }
    }
    /// What a path that leads to a vertex carries, if it is of a level. Executed by the owner.
    [[nodiscard]] double per_path(std::size_t local, std::uint32_t level) const {
        return levels_[local] == level ? (1 + dependencies_[local]) / paths_[local] : 0;
    }

    void give_paths(std::size_t local, std::uint32_t level) {
        const double paths = paths_[local];
        for_neighbours(local, [=, this](global::GlobalPtr<TaskBetweenness> owner, std::uint32_t place) {
            delegates_.call(
                owner, [place, level, paths](TaskBetweenness& search) { search.reach(place, level, paths); });
        });
    }
    void collect(std::size_t local) {
        const std::uint32_t level = levels_[local] + 1;
        for_neighbours(local, [=, this](global::GlobalPtr<TaskBetweenness> owner, std::uint32_t place) {
            const double of_neighbour = delegates_.call(owner, [place, level](const TaskBetweenness& search) {
                return search.per_path(place, level);
            });
            dependencies_[local] += of_neighbour; // Of a path so far: `finish` has the number of paths.
        });
    }
    /// What all neighbours carry is there.
    void finish(std::size_t local) {
        dependencies_[local] *= paths_[local];
        scores_[local] += dependencies_[local];
    }
    /// `body(owner, place)` for each neighbour, by tasks for which the level waits.
    template <class Body>
    void for_neighbours(std::size_t local, Body body) {
        const auto neighbours = graph_.neighbours(local);
        global::forall_async(runtime_, {0, neighbours.size()}, [=, this](std::uint64_t i) {
            const auto owner = static_cast<int>(graph_.owners.owner(neighbours[i]));
            body(everywhere_.on(owner), static_cast<std::uint32_t>(graph_.owners.local(neighbours[i])));
        });
    }

    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    global::Delegates delegates_;
    global::Symmetric<TaskBetweenness> everywhere_;
    std::vector<std::uint32_t> levels_;
    std::vector<double> paths_;
    std::vector<double> dependencies_;
    std::vector<double> scores_;
    std::vector<std::size_t> order_; ///< Places of vertices of this rank, as they were reached.
    std::vector<std::size_t> ends_;  ///< Of each level among these; the first is its beginning.
};

} // namespace goodsyard::agm
