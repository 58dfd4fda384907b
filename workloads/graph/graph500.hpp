// The Kronecker graph of Graph500, specification 3: bit by bit what its reference code draws.
#pragma once

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "graph/mrg.hpp"
#include "graph/scramble.hpp"

namespace goodsyard::graph {

inline constexpr std::uint64_t edge_factor = 16;

class Graph500 {
  public:
    /// 2^scale vertices, scale 1 to 31, and 16 edges for each. The specification's seeds are 2 and 3.
    Graph500(int scale, std::uint64_t first_seed, std::uint64_t second_seed);

    [[nodiscard]] std::uint64_t vertices() const { return std::uint64_t{1} << scale_; }
    [[nodiscard]] std::uint64_t edges() const { return edge_factor << scale_; }

    /// Edges `first`, `first + 1`, … into `out`; weights in [0, 1].
    void draw(std::uint64_t first, std::span<Edge> out) const;

    /// The candidate `index` for a search key; duplicates and isolated vertices are to be passed over.
    [[nodiscard]] std::uint64_t root(std::uint64_t index) const;

  private:
    [[nodiscard]] Edge edge(Mrg random) const;

    int scale_;
    Mrg::State seed_;
    Scramble scramble_;
    Mrg::Skip to_next_edge_;
};

} // namespace goodsyard::graph
