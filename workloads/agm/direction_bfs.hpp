// Breadth-first search that turns around where the frontier is large.
//
// Beamer, Asanović, Patterson: Direction-optimizing breadth-first search, SC 2012, DOI 10.1109/SC.2012.50.
// Top-down, the frontier tells its neighbours, as in bfs.hpp. Bottom-up, every vertex that is not reached
// looks for a neighbour in the frontier, of which all ranks have a map, and stops at the first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph/csr.hpp"
#include "runtime/channel.hpp"

namespace goodsyard::agm {

class DirectionBfs {
  public:
    DirectionBfs(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime)
        : team_(team), graph_(graph), runtime_(runtime), channel_(runtime),
          arcs_(team.all(Fold::sum, std::uint64_t{graph.targets.size()})) {
        channel_.on_receipt([this](const Item& item) { receive(item); });
    }

    /// Levels and parents from a source. Collective.
    void run(graph::Vertex root) {
        levels_.assign(graph_.count(), std::numeric_limits<float>::infinity());
        parents_.assign(graph_.count(), graph::no_vertex);
        level_ = 0;
        next_.clear();
        if (graph_.owns(root)) {
            reach(root, root);
        }
        std::uint64_t unexplored = arcs_;
        bool is_bottom_up = false;
        while (take_frontier()) {
            const std::uint64_t arcs = team_.all(Fold::sum, arcs_of_frontier());
            unexplored -= arcs;
            is_bottom_up = is_bottom_up ? size_ >= graph_.owners.vertices() / few : arcs > unexplored / many;
            ++level_;
            is_bottom_up ? look_for_frontier() : tell_neighbours();
        }
    }

    /// Levels: infinite where there is no path.
    [[nodiscard]] const std::vector<float>& distances() const { return levels_; }
    /// The root is its own; no_vertex where there is no path.
    [[nodiscard]] const std::vector<graph::Vertex>& parents() const { return parents_; }

  private:
    struct Item {
        graph::Vertex vertex;
        graph::Vertex parent;
    };
    // Beamer's α and β: turn around when the frontier has more than 1 / 15 of the arcs that are left, and
    // again when it has fewer than 1 / 18 of the vertices.
    static constexpr std::uint64_t many = 15;
    static constexpr std::uint64_t few = 18;
    static constexpr std::size_t piece = 64; ///< Vertices between two looks for messages.
    static constexpr std::size_t word = 64;

    void reach(graph::Vertex vertex, graph::Vertex parent) {
        const std::size_t local = graph_.owners.local(vertex);
        levels_[local] = static_cast<float>(level_);
        parents_[local] = parent;
        next_.push_back(vertex);
    }
    void receive(const Item& item) {
        if (parents_[graph_.owners.local(item.vertex)] == graph::no_vertex) {
            reach(item.vertex, item.parent);
        }
    }

    /// What was reached becomes the frontier. Returns whether it has any vertex. Collective.
    bool take_frontier() {
        frontier_.swap(next_);
        next_.clear();
        size_ = team_.all(Fold::sum, std::uint64_t{frontier_.size()});
        return size_ > 0;
    }
    [[nodiscard]] std::uint64_t arcs_of_frontier() const {
        std::uint64_t arcs = 0;
        for (const graph::Vertex vertex : frontier_) {
            arcs += graph_.degree(graph_.owners.local(vertex));
        }
        return arcs;
    }

    void tell_neighbours() {
        runtime_.epoch_over(frontier_.size(), piece,
                            [this](std::size_t i) { tell_neighbours_of(frontier_[i]); });
    }
    void tell_neighbours_of(graph::Vertex vertex) {
        for (const graph::Vertex neighbour : graph_.neighbours(graph_.owners.local(vertex))) {
            if (graph_.owns(neighbour)) {
                receive({neighbour, vertex});
            } else {
                channel_.send(static_cast<int>(graph_.owners.owner(neighbour)), {neighbour, vertex});
            }
        }
    }

    void look_for_frontier() {
        const std::vector<std::vector<std::uint64_t>> maps = maps_of_ranks();
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            if (parents_[local] != graph::no_vertex) {
                continue;
            }
            for (const graph::Vertex neighbour : graph_.neighbours(local)) {
                const std::size_t place = graph_.owners.local(neighbour);
                if ((maps[graph_.owners.owner(neighbour)][place / word] >> (place % word)) & 1U) {
                    reach(graph_.vertex(local), neighbour);
                    break;
                }
            }
        }
    }
    /// A bit for each vertex of each rank: whether it is in the frontier. Collective.
    [[nodiscard]] std::vector<std::vector<std::uint64_t>> maps_of_ranks() const {
        std::vector<std::uint64_t> own_part(graph_.count() / word + 1);
        for (const graph::Vertex vertex : frontier_) {
            const std::size_t place = graph_.owners.local(vertex);
            own_part[place / word] |= std::uint64_t{1} << (place % word);
        }
        return team_.exchanged(std::vector<std::vector<std::uint64_t>>(graph_.owners.ranks(), own_part));
    }

    const Team& team_;
    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    runtime::Channel<Item> channel_;
    std::uint64_t arcs_;     ///< Of all ranks.
    std::uint64_t size_ = 0; ///< Of the frontier of all ranks.
    std::uint32_t level_ = 0;
    std::vector<float> levels_;
    std::vector<graph::Vertex> parents_;
    std::vector<graph::Vertex> frontier_;
    std::vector<graph::Vertex> next_;
};

} // namespace goodsyard::agm
