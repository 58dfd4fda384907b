// Kernels of algorithms that make a tree of shortest paths.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agm/machine.hpp"
#include "graph/kernels.hpp"
#include "graph/validation.hpp"

namespace goodsyard::graph {

/// What comes of a tree of shortest paths, however it was found.
template <class Algorithm>
class TreeKernel : public Kernel {
  public:
    double edges() override {
        std::uint64_t ends = 0;
        for (std::size_t local = 0; local < place_.graph.count(); ++local) {
            ends += algorithm_.parents()[local] != no_vertex ? place_.graph.ends[local] : 0;
        }
        return static_cast<double>(place_.team.all(Fold::sum, ends)) / 2;
    }

    std::vector<Fact> facts() override {
        const std::vector<float>& distances = algorithm_.distances();
        std::uint64_t reached = 0;
        double farthest = 0;
        for (const float distance : distances) {
            reached += std::isfinite(distance) ? 1 : 0;
            farthest = std::isfinite(distance) ? std::max(farthest, static_cast<double>(distance)) : farthest;
        }
        const auto all_reached = static_cast<double>(place_.team.all(Fold::sum, reached));
        return {{"distance_checksum", "", checksum_of(place_.team, place_.graph, distances)},
                {"vertices_reached", "", all_reached},
                {"farthest", "", place_.team.all(Fold::max, farthest)}};
    }

    /// Without a path the distance is infinite and the parent -1; the root is its own parent.
    [[nodiscard]] Outcome outcome() const override {
        return {{{"distance", CellKind::f64}, {"parent", CellKind::i64}},
                [this](std::size_t local, auto& cells) {
                    const Vertex parent = algorithm_.parents()[local];
                    cells.push_back(cell_of(static_cast<double>(algorithm_.distances()[local])));
                    cells.push_back(parent == no_vertex ? cell_of(-1) : place_.graph.owners.number(parent));
                }};
    }

    std::optional<std::string> violation(Vertex root) override {
        return graph::violation(
            place_.team, place_.edges,
            {place_.graph.owners, root, has_unit_weights_, algorithm_.distances(), algorithm_.parents()});
    }

  protected:
    template <class... Arguments>
    explicit TreeKernel(const Place& place, bool has_unit_weights, Arguments&&... arguments)
        : place_(place), has_unit_weights_(has_unit_weights),
          algorithm_(std::forward<Arguments>(arguments)...) {}

    Place place_;
    bool has_unit_weights_;
    Algorithm algorithm_;
};

/// Sssp, Bfs.
template <class Algorithm>
class MachineTreeKernel final : public TreeKernel<Algorithm> {
  public:
    template <class... Arguments>
    MachineTreeKernel(const Place& place, const agm::Orders& orders, bool has_unit_weights,
                      const Arguments&... arguments)
        : TreeKernel<Algorithm>(place, has_unit_weights, place.graph, arguments...),
          machine_(place.runtime, place.graph, this->algorithm_, orders) {}

    void run(Vertex root) override { machine_.run(this->algorithm_.begin(root)); }

  private:
    agm::Machine<Algorithm> machine_;
};

/// DirectionSssp, DirectionBfs, TaskBfs: they run by themselves.
template <class Algorithm>
class OwnTreeKernel final : public TreeKernel<Algorithm> {
  public:
    template <class... Arguments>
    OwnTreeKernel(const Place& place, bool has_unit_weights, const Arguments&... arguments)
        : TreeKernel<Algorithm>(place, has_unit_weights, place.team, place.graph, place.runtime,
                                arguments...) {}

    void run(Vertex root) override { this->algorithm_.run(root); }
};

} // namespace goodsyard::graph
