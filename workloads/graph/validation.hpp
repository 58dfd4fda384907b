// The five rules by which Graph500 validates a tree of shortest paths, applied to the edges of the input and
// not to the rows that an algorithm has used.
//
// 1. Following parents leads to the root: no cycle.
// 2. A tree edge makes the distance of its child: its parent's plus the weight (a level, of BFS).
// 3. An edge of the input joins two vertices that are both in the tree or both not, and their distances
// differ
//    by its weight at most.
// 4. The tree spans the component of its root, and nothing else.
// 5. A vertex and its parent are joined by an edge of the input.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "graph/edge.hpp"
#include "graph/owners.hpp"
#include "harness/team.hpp"

namespace goodsyard::graph {

/// Distances and parents of a rank's vertices; infinite and no_vertex where a vertex is not in the tree.
struct Tree {
    const Owners& owners;
    Vertex root = 0;
    bool unit_weights = false; ///< Distances are levels.
    std::span<const float> distances;
    std::span<const Vertex> parents;
};

/// The first thing that this rank finds wrong; collective, whatever is found.
std::optional<std::string> violation(const Team& team, const Edges& edges, const Tree& tree);

} // namespace goodsyard::graph
