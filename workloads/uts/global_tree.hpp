// UTS-mem: a tree of UTS in global arrays, to be visited by reading them.
//
// J. Nelson et al.: Crunching large graphs with commodity processors, HotPar 2011: vertices in one array,
// their lists of children in another.
#pragma once

#include <cstdint>
#include <memory>

#include "global/delegates.hpp"
#include "global/global_array.hpp"
#include "uts/named.hpp"

namespace goodsyard::uts {

struct Vertex {
    std::uint64_t children; ///< How many.
    std::uint64_t first;    ///< Where the list of them begins.
};

/// The root is vertex 0. Vertices lie in no order: where the next one is, only a read tells.
struct GlobalTree {
    GlobalTree(const Team& team, const Counted& of_tree)
        : counted(of_tree), vertices(team, of_tree.nodes), children(team, of_tree.nodes) {}

    Counted counted;
    global::GlobalArray<Vertex> vertices;
    global::GlobalArray<std::uint64_t> children; ///< Lists of vertices.
};

/// Bytes of a node while its tree is built; half of them remain.
inline constexpr double bytes_of_node = 2 * (sizeof(Vertex) + sizeof(std::uint64_t));

/// Build a tree, by ranks that steal from each other as in a traversal. Collective. `most_nodes` are those
/// that a rank may make; raises std::runtime_error on a rank that has made more.
std::unique_ptr<GlobalTree> build(const Team& team, global::Delegates& delegates, Tree& tree,
                                  std::uint64_t seed, std::uint64_t most_nodes);

} // namespace goodsyard::uts
