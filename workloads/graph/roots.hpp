// Sources of traversals: vertices with edges, none twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "harness/failure.hpp"

namespace goodsyard::graph {

/// Neighbours of a vertex, on all ranks. Collective.
inline std::uint64_t degree_of(const Team& team, const Csr& graph, Vertex vertex) {
    const bool own_part = graph.owns(vertex);
    return team.all(Fold::max, std::uint64_t{own_part ? graph.degree(graph.owners.local(vertex)) : 0});
}

/// The first `count` of the candidates 0, 1, … that have an edge and were not chosen before. Collective.
/// Raises SharedFailure where there are not so many.
template <class Candidate>
std::vector<Vertex> choose_roots(const Team& team, const Csr& graph, std::size_t count,
                                 const Candidate& candidate) {
    std::vector<Vertex> chosen;
    const std::uint64_t most = 64 + 8 * graph.owners.vertices();
    for (std::uint64_t i = 0; chosen.size() < count && i < most; ++i) {
        const Vertex vertex = graph.owners.vertex(candidate(i));
        if (std::find(chosen.begin(), chosen.end(), vertex) == chosen.end() &&
            degree_of(team, graph, vertex) > 0) {
            chosen.push_back(vertex);
        }
    }
    if (chosen.size() < count) {
        throw SharedFailure("only " + std::to_string(chosen.size()) + " sources with edges were found, not " +
                            std::to_string(count));
    }
    return chosen;
}

} // namespace goodsyard::graph
