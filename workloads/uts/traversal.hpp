// All nodes of a tree, visited by all ranks: each works depth first on what it has, and who has nothing
// steals what others have had longest. A single rank takes the same path.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "runtime/stealable.hpp"
#include "runtime/task_trace.hpp"
#include "uts/named.hpp"

namespace goodsyard::uts {

/// What ranks have to do over time, sampled every --trace-tasks seconds.
struct Activity {
    explicit Activity(const runtime::Runtime& runtime)
        : tasks(runtime.parameters().trace_tasks_s, 0), busy(runtime.parameters().trace_tasks_s, 0) {}

    void restart(double now_s) {
        tasks.restart(now_s);
        busy.restart(now_s);
    }
    void sample(double now_s, std::size_t waiting) {
        tasks.sample(now_s, waiting);
        busy.sample(now_s, waiting > 0 ? 1 : 0);
    }

    runtime::TaskTrace tasks; ///< Nodes that nobody works on yet.
    runtime::TaskTrace busy;  ///< 1 while there are any.
};

class Traversal {
  public:
    /// Everything given must outlive this. Collective. `seed` is that of victims, `most_nodes` are those that
    /// a rank may have visited and have left to visit.
    Traversal(runtime::Runtime& runtime, Tree& tree, std::uint64_t seed, std::uint64_t most_nodes)
        : runtime_(runtime), tree_(tree), nodes_(runtime, runtime::all_ranks(runtime), seed),
          most_nodes_(most_nodes) {
        nodes_.on_turn([this](const Node& node) { visit(node); });
    }
    Traversal(const Traversal&) = delete;
    Traversal& operator=(const Traversal&) = delete;

    /// Visit every node once; returns how many there are. Collective. Raises std::runtime_error on a rank
    /// that has too many.
    std::uint64_t run(Activity& activity) {
        own_ = {};
        nodes_.restart();
        if (runtime_.rank() == 0) {
            nodes_.add(tree_.root());
        }
        const auto step = [&] {
            if (activity.tasks.is_on()) {
                activity.sample(runtime_.now_s(), nodes_.size());
            }
            if (own_.nodes + nodes_.size() > most_nodes_) {
                throw std::runtime_error("it has visited " + std::to_string(own_.nodes) + " nodes and has " +
                                         std::to_string(nodes_.size()) + " to visit, more than " +
                                         std::to_string(most_nodes_) +
                                         " nodes together, of a tree that may have no end; --most-nodes");
            }
            const bool any = nodes_.step();
            runtime_.settle_charges(); // Thieves may have asked meanwhile.
            return any;
        };
        return runtime_.epoch(step, [this] { return runtime::Agreed{.sum = own_.nodes}; }).sum;
    }

    /// Of all ranks. Collective.
    [[nodiscard]] Counted counted(const Team& team) const {
        return {team.all(Fold::sum, own_.nodes), team.all(Fold::sum, own_.leaves),
                team.all(Fold::max, own_.depth)};
    }

  private:
    /// Children whose states are made at once.
    static constexpr std::uint32_t piece = 16;

    void visit(const Node& node) {
        const std::uint32_t children = tree_.children(node);
        ++own_.nodes;
        own_.leaves += children == 0 ? 1 : 0;
        own_.depth = std::max<std::uint64_t>(own_.depth, node.depth);
        std::array<Digest, piece> states;
        for (std::uint32_t first = 0; first < children; first += piece) {
            const std::span some(states.data(), std::min(piece, children - first));
            tree_.spawn(node, first, some);
            for (const Digest& state : some) {
                nodes_.add({state, node.depth + 1});
            }
        }
        runtime_.charge(Work::children, 1);
        runtime_.charge(Work::sha1, static_cast<double>(children) * tree_.parameters().evaluations);
    }

    runtime::Runtime& runtime_;
    Tree& tree_;
    runtime::Stealable<Node> nodes_;
    std::uint64_t most_nodes_;
    Counted own_; ///< Of this rank.
};

} // namespace goodsyard::uts
