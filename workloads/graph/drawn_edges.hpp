// A rank's share of the edges of a generator, drawn whenever they are asked for.
#pragma once

#include <utility>

#include "graph/edge.hpp"
#include "harness/share.hpp"

namespace goodsyard::graph {

template <class Generator>
class DrawnEdges final : public Edges {
  public:
    DrawnEdges(Generator generator, const Team& team)
        : generator_(std::move(generator)), share_(share_of(generator_.edges(), team)) {}

    [[nodiscard]] std::uint64_t vertices() const override { return generator_.vertices(); }
    [[nodiscard]] std::uint64_t own() const override { return share_.count; }
    void read(std::uint64_t first, std::span<Edge> out) const override {
        generator_.draw(share_.first + first, out);
    }

  private:
    Generator generator_;
    Share share_;
};

} // namespace goodsyard::graph
