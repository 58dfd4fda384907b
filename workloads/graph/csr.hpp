// The rows of a rank: neighbours of its vertices, compressed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/edge.hpp"
#include "graph/owners.hpp"
#include "harness/team.hpp"
#include "runtime/place.hpp"

namespace goodsyard::graph {
inline namespace GOODSYARD_VERTICES {

/// How a row is in order.
enum class RowOrder : int { by_neighbour, by_weight };

/// Which arcs a tuple of the input becomes.
enum class Arcs : int {
    both_ways,
    as_given, ///< From source to target, unless the input says that it is symmetric.
};

/// A simple graph without loops; of parallel edges the lightest. A row has the arcs that leave a vertex: of
/// an undirected graph, all of its edges.
struct Csr {
    Owners owners;
    std::size_t rank = 0;
    std::vector<std::uint64_t> begin; ///< Of each own vertex, and the end of the last.
    std::vector<Vertex> targets;
    std::vector<float> weights;
    /// Ends of tuples of the input at each own vertex, those of loops and parallel edges included: half of
    /// their sum over a component is what the specification of Graph500 counts as its edges. Of a directed
    /// graph, sources alone.
    std::vector<std::uint32_t> ends;
    float largest_weight = 0; ///< Of all ranks.
    RowOrder order = RowOrder::by_neighbour;

    [[nodiscard]] std::size_t bytes() const {
        return begin.size() * sizeof begin[0] + targets.size() * sizeof targets[0] +
               weights.size() * sizeof weights[0] + ends.size() * sizeof ends[0];
    }
    /// What reads of rows are charged by: bytes of all, and lines of cache of one.
    [[nodiscard]] std::uint64_t target_bytes() const { return targets.size() * sizeof(Vertex); }
    [[nodiscard]] double lines(std::size_t local) const {
        return 1 + static_cast<double>(degree(local) * sizeof(Vertex)) / 64;
    }
    [[nodiscard]] std::size_t count() const { return begin.size() - 1; }
    [[nodiscard]] std::size_t degree(std::size_t local) const { return begin[local + 1] - begin[local]; }
    [[nodiscard]] Vertex vertex(std::size_t local) const { return owners.at(rank, local); }
    [[nodiscard]] bool owns(Vertex vertex) const { return owners.owner(vertex) == rank; }
    [[nodiscard]] std::span<const Vertex> neighbours(std::size_t local) const {
        return {targets.data() + begin[local], degree(local)};
    }
    [[nodiscard]] std::span<const float> weights_of(std::size_t local) const {
        return {weights.data() + begin[local], degree(local)};
    }
    /// The neighbours on this rank, of a row in the order of neighbours.
    [[nodiscard]] std::span<const Vertex> own_part(std::span<const Vertex> row) const {
        if (row.empty() || (owns(row.front()) && owns(row.back()))) {
            return row;
        }
        const auto is_before = [&](Vertex vertex) { return owners.owner(vertex) < rank; };
        const auto is_own = [&](Vertex vertex) { return owns(vertex); };
        const auto first = std::partition_point(row.begin(), row.end(), is_before);
        return {first, std::partition_point(first, row.end(), is_own)};
    }

    // Inlined before the compiler looks for functions without an effect, of which these would be two.
    /// Bring nearer where a row begins; later, the first lines of cache of its neighbours.
    [[gnu::always_inline]] void prefetch_begin(std::size_t local) const { __builtin_prefetch(&begin[local]); }
    [[gnu::always_inline]] void prefetch_neighbours(std::size_t local) const {
        constexpr std::uint64_t line = 64 / sizeof(Vertex);
        constexpr std::uint64_t most = 4 * line;
        const std::uint64_t last = std::min(begin[local + 1], begin[local] + most);
        for (std::uint64_t i = begin[local]; i < last; i += line) {
            __builtin_prefetch(targets.data() + i);
        }
    }
};

/// Bytes that a rank needs at most for so many vertices and tuples, results of an algorithm included.
double bytes_of_rank(std::uint64_t vertices, std::uint64_t tuples, int ranks);

/// Build the rows of all ranks in two passes over the edges: one counts, one places. Collective.
///
/// The ranks exchange batches, and hold no more than one at a time beside their rows.
Csr build(const Team& team, const Edges& edges, RowOrder order = RowOrder::by_neighbour,
          Arcs arcs = Arcs::both_ways, Dealing dealing = Dealing::cyclic,
          runtime::Place caller = runtime::Place::current());

/// Arcs that lead to a vertex of another rank, of all arcs. Collective.
double remote_share(const Team& team, const Csr& graph);

} // namespace GOODSYARD_VERTICES
} // namespace goodsyard::graph
