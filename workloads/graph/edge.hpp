// Edges as they are drawn or read, and where they come from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace goodsyard::graph {

/// A tuple of the input, duplicates and self-loops included: both directions of an edge, or of a directed
/// graph the one from source to target.
struct Edge {
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    float weight = 1;

    friend constexpr bool operator==(const Edge&, const Edge&) = default;
};

/// The tuples of all ranks, of which each rank can name its own again and again; they are never all together.
class Edges {
  public:
    Edges() = default;
    Edges(const Edges&) = delete;
    Edges& operator=(const Edges&) = delete;
    virtual ~Edges() = default;

    /// Vertices are numbered from 0 to one less than this.
    [[nodiscard]] virtual std::uint64_t vertices() const = 0;
    /// Tuples of this rank.
    [[nodiscard]] virtual std::uint64_t own() const = 0;
    /// This rank's tuples `first`, `first + 1`, … into `out`.
    virtual void read(std::uint64_t first, std::span<Edge> out) const = 0;
    /// Whether the input says that each tuple stands for both directions.
    [[nodiscard]] virtual bool is_symmetric() const { return false; }
    /// Whether it says that each stands for one direction.
    [[nodiscard]] virtual bool is_directed() const { return false; }
};

/// Tuples that a rank holds at a time, wherever all are gone through.
inline constexpr std::uint64_t batch = std::uint64_t{1} << 12U;

/// Calls `visit` with this rank's tuples, batch after batch.
template <class Visit>
void for_batches(const Edges& edges, Visit visit) {
    std::vector<Edge> some;
    for (std::uint64_t first = 0; first < edges.own(); first += batch) {
        some.resize(std::min(batch, edges.own() - first));
        edges.read(first, some);
        visit(some);
    }
}

} // namespace goodsyard::graph
