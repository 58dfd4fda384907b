// Breadth-first search by tasks that wait, as it is written for a global address space.
//
// A level is a loop over the frontier, and in it a loop over the neighbours of a vertex, for which the level
// waits and not the vertex; each iteration claims a neighbour by a delegate, and waits for the answer. The
// owner of a neighbour executes it, so that the first claim wins. Neighbours of one owner follow each other
// in a row: a task that does several of them claims them by one delegate.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "global/delegates.hpp"
#include "global/forall.hpp"
#include "global/symmetric.hpp"
#include "graph/csr.hpp"

namespace goodsyard::agm {

class TaskBfs {
  public:
    static constexpr std::size_t most_in_batch = 48;

    /// Collective. `runtime` executes items by fibres. A delegate claims at most `batch` neighbours; where
    /// that is more than one, the runtime's threshold of a loop is for neighbours of each owner.
    TaskBfs(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime, std::size_t batch)
        : graph_(graph), runtime_(runtime), delegates_(runtime), everywhere_(team, *this), batch_(batch),
          claims_at_once_(batch > 1 && !runtime.parameters().delegates_to_self) {}
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
        runtime_.charge(Work::visit, 1);
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
        charge_reads(local);
        const std::uint64_t threshold = runtime_.parameters().loop_threshold;
        const std::uint64_t least = batch_ > 1 ? threshold * graph_.owners.ranks() : threshold;
        global::forall_async(
            runtime_, {0, neighbours.size()},
            [=, this](global::Indices part) {
                const auto own_part = neighbours.subspan(part.first, part.size());
                if (batch_ > 1) {
                    claim_batches(own_part, parent, level);
                } else {
                    claim_each(own_part, parent, level);
                }
            },
            least);
    }
    /// Of a row, which nobody has fetched ahead: of where it begins, and of its first line. A claim is begun
    /// while others wait for theirs.
    void charge_reads(std::uint32_t local) {
        runtime_.charge_reads(ReadOrder::dependent, sizeof graph_.begin[0] * graph_.count(), 1);
        runtime_.charge_reads(ReadOrder::dependent, graph_.target_bytes(), 1);
        runtime_.charge_reads(ReadOrder::independent, graph_.target_bytes(), graph_.lines(local) - 1);
        runtime_.charge_reads(ReadOrder::independent, sizeof(graph::Vertex) * graph_.count(),
                              static_cast<double>(graph_.degree(local)));
    }
    void claim_each(std::span<const graph::Vertex> vertices, graph::Vertex parent, float level) {
        for (const graph::Vertex vertex : vertices) {
            const auto owner = static_cast<int>(graph_.owners.owner(vertex));
            delegates_.call(everywhere_.on(owner), [local = place(vertex), parent, level](TaskBfs& search) {
                return search.claim(local, parent, level);
            });
        }
    }
    /// Claim neighbours, and wait until all owners have.
    void claim_batches(std::span<const graph::Vertex> vertices, graph::Vertex parent, float level) {
        global::CompletionEvent claimed(runtime_.tasks(), nullptr, "the claims of a batch");
        while (!vertices.empty()) {
            const std::size_t owner = graph_.owners.owner(vertices.front());
            const bool is_at_once = claims_at_once_ && owner == graph_.rank;
            const std::size_t most = is_at_once ? vertices.size() : std::min(batch_, vertices.size());
            std::size_t count = 1;
            while (count < most && graph_.owners.owner(vertices[count]) == owner) {
                ++count;
            }
            const auto batch = vertices.first(count);
            const auto search = everywhere_.on(static_cast<int>(owner));
            if (is_at_once) {
                claim_here(batch, parent, level);
            } else if (count <= few) {
                delegates_.call(search, batch_of<few>(batch, parent, level), claimed);
            } else {
                delegates_.call(search, batch_of<most_in_batch>(batch, parent, level), claimed);
            }
            vertices = vertices.subspan(count);
        }
        claimed.wait();
    }
    void claim_here(std::span<const graph::Vertex> vertices, graph::Vertex parent, float level) {
        runtime_.counters().delegates_here += vertices.size();
        for (const graph::Vertex vertex : vertices) {
            claim(place(vertex), parent, level);
        }
    }

    /// Executed by the owner of the places.
    template <std::size_t most>
    struct Batch {
        graph::Vertex parent;
        float level;
        std::uint32_t count;
        std::array<std::uint32_t, most> places;

        void operator()(TaskBfs& search) const {
            for (std::uint32_t i = 0; i < count; ++i) {
                search.claim(places[i], parent, level);
            }
        }
    };
    template <std::size_t most>
    [[nodiscard]] Batch<most> batch_of(std::span<const graph::Vertex> vertices, graph::Vertex parent,
                                       float level) const {
        Batch<most> batch{parent, level, static_cast<std::uint32_t>(vertices.size()), {}};
        std::ranges::transform(vertices, batch.places.begin(),
                               [this](graph::Vertex vertex) { return place(vertex); });
        return batch;
    }
    [[nodiscard]] std::uint32_t place(graph::Vertex vertex) const {
        return static_cast<std::uint32_t>(graph_.owners.local(vertex));
    }

    /// As many places as go in the message of a delegate that is next in size to that of one.
    static constexpr std::size_t few = 8;

    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    global::Delegates delegates_;
    global::Symmetric<TaskBfs> everywhere_;
    std::size_t batch_;
    bool claims_at_once_; ///< Vertices of this rank are claimed without a delegate.
    std::vector<float> levels_;
    std::vector<graph::Vertex> parents_;
    std::vector<std::uint32_t> frontier_; ///< Places of vertices of this rank.
    std::vector<std::uint32_t> next_;     ///< Those of the next level.
};

} // namespace goodsyard::agm
