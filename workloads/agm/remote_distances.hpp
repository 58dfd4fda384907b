// What a rank knows of the distances of other ranks' vertices: the least that it has sent or heard. What is
// not below needs no message.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "graph/csr.hpp"
#include "harness/team.hpp"

namespace goodsyard::agm {

class RemoteDistances {
  public:
    /// One that `keeps` nothing takes every distance for news.
    RemoteDistances(const graph::Csr& graph, bool keeps)
        : owners_(graph.owners), rank_(graph.rank), known_(keeps ? graph.owners.ranks() : 0) {}

    /// Whether these are few beside the rows of the graph: at most an eighth of their bytes. Collective.
    static bool fit(const Team& team, const graph::Csr& graph) {
        constexpr std::uint64_t fraction = 8;
        const std::uint64_t copies = sizeof(float) * graph.owners.vertices() * graph.owners.ranks();
        return fraction * copies <= team.all(Fold::sum, std::uint64_t{graph.bytes()});
    }

    /// Forget all.
    void begin() {
        for (std::size_t rank = 0; rank < known_.size(); ++rank) {
            known_[rank].assign(rank == rank_ ? 0 : owners_.count(rank),
                                std::numeric_limits<float>::infinity());
        }
    }
    /// Whether the owner of a vertex, another rank, has to be sent this distance; it then counts as sent.
    bool is_news(graph::Vertex vertex, float distance) {
        if (known_.empty()) {
            return true;
        }
        float& entry = known_[owners_.owner(vertex)][owners_.local(vertex)];
        if (distance >= entry) {
            return false;
        }
        entry = distance;
        return true;
    }
    /// The distance of a vertex of another rank, as that has sent it.
    void hear(graph::Vertex vertex, float distance) {
        known_[owners_.owner(vertex)][owners_.local(vertex)] = distance;
    }
    /// By place, the distances of a rank's vertices, or more than these; of this rank none.
    [[nodiscard]] const std::vector<std::vector<float>>& of_ranks() const { return known_; }

  private:
    const graph::Owners owners_;
    const std::size_t rank_;
    std::vector<std::vector<float>> known_; ///< By rank; empty where nothing is kept.
};

} // namespace goodsyard::agm
