// A lattice, for what roads are to algorithms: few edges for each vertex, and a diameter of √(vertices).
#pragma once

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "harness/random.hpp"

namespace goodsyard::graph {

class Lattice {
  public:
    /// 2^scale vertices in rows, each joined to the next of its row and of its column; weights are whole
    /// numbers from 1 to `largest_weight`.
    Lattice(int scale, std::uint64_t largest_weight, std::uint64_t seed)
        : columns_(std::uint64_t{1} << (scale + 1) / 2), rows_(std::uint64_t{1} << scale / 2),
          largest_weight_(largest_weight), seed_(seed) {}

    [[nodiscard]] std::uint64_t vertices() const { return rows_ * columns_; }
    [[nodiscard]] std::uint64_t edges() const { return along_rows() + (rows_ - 1) * columns_; }

    void draw(std::uint64_t first, std::span<Edge> out) const {
        const Random of_weights(seed_, Stream::weights);
        for (std::uint64_t i = 0; i < out.size(); ++i) {
            const std::uint64_t edge = first + i;
            out[i] = ends(edge);
            out[i].weight = static_cast<float>(1 + of_weights.below(largest_weight_, edge));
        }
    }

    [[nodiscard]] std::uint64_t root(std::uint64_t index) const {
        return Random(seed_, Stream::roots).below(vertices(), index);
    }

  private:
    enum Stream : std::uint64_t { weights = 1, roots };

    [[nodiscard]] std::uint64_t along_rows() const { return rows_ * (columns_ - 1); }

    /// The edges of all rows, then those of all columns.
    [[nodiscard]] Edge ends(std::uint64_t edge) const {
        if (edge < along_rows()) {
            const std::uint64_t vertex = edge / (columns_ - 1) * columns_ + edge % (columns_ - 1);
            return {vertex, vertex + 1, 0};
        }
        const std::uint64_t vertex = edge - along_rows();
        return {vertex, vertex + columns_, 0};
    }

    std::uint64_t columns_, rows_;
    std::uint64_t largest_weight_;
    std::uint64_t seed_;
};

} // namespace goodsyard::graph
