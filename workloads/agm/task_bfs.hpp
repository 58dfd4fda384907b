// Breadth-first search by tasks that wait, as it is written for a global address space.
//
// A level is a loop over the frontier, and in it a loop over the neighbours of a vertex, for which the level
// waits and not the vertex; each iteration claims a neighbour by a delegate, and waits for the answer. The
// owner of a neighbour executes it, so that the first claim wins.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "global/delegates.hpp"
#include "global/forall.hpp"
#include "global/symmetric.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

class TaskBfs {
  public:
    /// Collective. `runtime` executes items by fibres.
    TaskBfs(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime)
        : graph_(graph), runtime_(runtime), delegates_(runtime), everywhere_(team, *this) {}
    TaskBfs(const TaskBfs&) = delete;
    TaskBfs& operator=(const TaskBfs&) = delete;

    /// Levels and parents from a source. Collective.
    void run(graph::Vertex root) {
        levels_.assign(graph_.count(), std::numeric_limits<float>::infinity());
        parents_.assign(graph_.count(), graph::no_vertex);
        next_.clear();
        if (graph_.owns(root)) {
            claim(static_cast<std::uint32_t>(graph_.owners.local(root)), root, 0);
        }
        float level = 0;
        std::uint64_t result = 1;
        while (result > 0) {
            ++level;
            frontier_.swap(next_);
            next_.clear();
            result = global::forall(
                         runtime_, {0, frontier_.size()}, runtime::this_rank(runtime_),
                         [&](std::uint64_t i) { claim_neighbours(frontier_[i], level); },
                         [&] { return runtime::Agreed{.sum = next_.size()}; })
                         .sum;
        }
    }

    /// Levels: infinite where there is no path.
    [[nodiscard]] const std::vector<float>& distances() const { return levels_; }
    /// The root is its own; no_vertex where there is no path.
    [[nodiscard]] const std::vector<graph::Vertex>& parents() const { return parents_; }

  private:
    /// Executed by the owner. Returns whether the vertex had not been claimed.
    bool claim(std::uint32_t local, graph::Vertex parent, float level) {
        runtime_.charge(Work::comparison, 1);
        if (parents_[local] != graph::no_vertex) {
            ++runtime_.counters().rejected;
            return false;
        }
        ++runtime_.counters().useful;
        parents_[local] = parent;
        levels_[local] = level;
        next_.push_back(local);
        return true;
    }

    void claim_neighbours(std::uint32_t local, float level) {
        const graph::Vertex parent = graph_.vertex(local);
        const auto neighbours = graph_.neighbours(local);
        global::forall_async(runtime_, {0, neighbours.size()}, [=, this](std::uint64_t i) {
            const auto owner = static_cast<int>(graph_.owners.owner(neighbours[i]));
            const auto place = static_cast<std::uint32_t>(graph_.owners.local(neighbours[i]));
            delegates_.call(everywhere_.on(owner), [place, parent, level](TaskBfs& search) {
                return search.claim(place, parent, level);
            });
        });
    }

    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    global::Delegates delegates_;
    global::Symmetric<TaskBfs> everywhere_;
    std::vector<float> levels_;
    std::vector<graph::Vertex> parents_;
    std::vector<std::uint32_t> frontier_; ///< Places of vertices of this rank.
    std::vector<std::uint32_t> next_;     ///< Those of the next level.
};

} // namespace goodsyard::agm
