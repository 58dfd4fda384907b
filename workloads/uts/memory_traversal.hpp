// All vertices of a tree in global arrays, visited by tasks: each waits for the vertex, and then for its list
// of children, which it reads piece by piece.
#pragma once

#include <algorithm>
#include <array>

#include "runtime/stealable.hpp"
#include "uts/global_tree.hpp"
#include "uts/traversal.hpp"

namespace goodsyard::uts {

class MemoryTraversal {
  public:
    /// Everything given must outlive this. Collective. `list_piece` is 1, 3, 7 or 31.
    MemoryTraversal(global::Delegates& delegates, const GlobalTree& tree, std::uint64_t seed, int list_piece)
        : runtime_(delegates.runtime()), delegates_(delegates), tree_(tree),
          vertices_(runtime_, runtime::all_ranks(runtime_), seed), read_(reading(list_piece)),
          list_piece_(static_cast<std::uint64_t>(list_piece)) {
        vertices_.on_turn([this](std::uint64_t index) { visit(index); },
                          runtime::always<runtime::Execution::fibre>);
    }
    MemoryTraversal(const MemoryTraversal&) = delete;
    MemoryTraversal& operator=(const MemoryTraversal&) = delete;

    /// Visit every vertex once; returns how many there are. Collective.
    std::uint64_t run(Activity& activity) {
        nodes_ = 0;
        leaves_ = 0;
        vertices_.restart();
        if (runtime_.rank() == 0) {
            vertices_.add(0);
        }
        const auto step = [&] {
            if (activity.tasks.is_on()) {
                activity.sample(runtime_.now_s(), vertices_.size() + runtime_.tasks().active());
            }
            const bool any = vertices_.step();
            runtime_.settle_charges();
            return any;
        };
        return runtime_.epoch(step, [this] { return runtime::Agreed{.sum = nodes_}; }).sum;
    }

    /// Of all ranks, with the depth that was found when the tree was built. Collective.
    [[nodiscard]] Counted counted(const Team& team) const {
        return {team.all(Fold::sum, nodes_), team.all(Fold::sum, leaves_), tree_.counted.depth};
    }

  private:
    using Read = void (MemoryTraversal::*)(std::uint64_t first, std::uint64_t count);

    static Read reading(int list_piece) {
        switch (list_piece) {
        case 1:
            return &MemoryTraversal::read_children<1>;
        case 3:
            return &MemoryTraversal::read_children<3>;
        case 7:
            return &MemoryTraversal::read_children<7>;
        default:
            return &MemoryTraversal::read_children<31>;
        }
    }

    void visit(std::uint64_t index) {
        const Vertex vertex = delegates_.read(tree_.vertices[index]);
        ++nodes_;
        leaves_ += vertex.children == 0 ? 1 : 0;
        charge_reads(vertex);
        const std::uint64_t block = tree_.children.distribution().block();
        const std::uint64_t end = vertex.first + vertex.children;
        for (std::uint64_t first = vertex.first; first < end;) {
            // On one rank.
            const std::uint64_t count = std::min({list_piece_, end - first, block - first % block});
            (this->*read_)(first, count);
            first += count;
        }
    }

    /// Of the list of a vertex, to which it alone tells the way; and of the children, the newest of which is
    /// visited next, and the others when they have been fetched. All ranks read as much: it counts as read
    /// here, whoever has it.
    void charge_reads(const Vertex& vertex) {
        if (vertex.children == 0) {
            return;
        }
        const std::uint64_t bytes = tree_.vertices.own().size_bytes();
        runtime_.charge_reads(ReadOrder::dependent, tree_.children.own().size_bytes(), 1);
        runtime_.charge_reads(ReadOrder::dependent, bytes, 1);
        runtime_.charge_reads(ReadOrder::independent, bytes, static_cast<double>(vertex.children - 1));
    }

    template <std::size_t most>
    void read_children(std::uint64_t first, std::uint64_t count) {
        const auto children = delegates_.call(tree_.children[first], [count](const std::uint64_t& list) {
            std::array<std::uint64_t, most> some{};
            std::copy_n(&list, count, some.begin());
            return some;
        });
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto vertex = tree_.vertices[children[i]];
            if (vertex.rank == runtime_.rank()) {
                __builtin_prefetch(vertex.address());
            }
            vertices_.add(children[i]);
        }
    }

    runtime::Runtime& runtime_;
    global::Delegates& delegates_;
    const GlobalTree& tree_;
    runtime::Stealable<std::uint64_t> vertices_;
    Read read_;
    std::uint64_t list_piece_;
    std::uint64_t nodes_ = 0;  ///< Of this rank.
    std::uint64_t leaves_ = 0; ///< Of this rank.
};

} // namespace goodsyard::uts
