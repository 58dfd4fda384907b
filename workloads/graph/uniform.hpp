// Uniformly random graphs: both ends of every edge are any vertex (Erdős and Rényi 1959), as GAP's `urand`.
#pragma once

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "harness/random.hpp"

namespace goodsyard::graph {

class Uniform {
  public:
    /// 2^scale vertices, and 16 edges for each, loops among them; weights are whole numbers from 1 to
    /// `largest_weight`.
    Uniform(int scale, std::uint64_t largest_weight, std::uint64_t seed)
        : scale_(scale), largest_weight_(largest_weight), seed_(seed) {}

    [[nodiscard]] std::uint64_t vertices() const { return std::uint64_t{1} << scale_; }
    [[nodiscard]] std::uint64_t edges() const { return std::uint64_t{16} << scale_; }

    void draw(std::uint64_t first, std::span<Edge> out) const {
        const Random of_ends(seed_, Stream::ends), of_weights(seed_, Stream::weights);
        for (std::uint64_t i = 0; i < out.size(); ++i) {
            const std::uint64_t edge = first + i;
            out[i] = {of_ends.below(vertices(), 2 * edge), of_ends.below(vertices(), 2 * edge + 1),
                      static_cast<float>(1 + of_weights.below(largest_weight_, edge))};
        }
    }

    [[nodiscard]] std::uint64_t root(std::uint64_t index) const {
        return Random(seed_, Stream::roots).below(vertices(), index);
    }

  private:
    enum Stream : std::uint64_t { ends = 1, weights, roots };

    int scale_;
    std::uint64_t largest_weight_;
    std::uint64_t seed_;
};

} // namespace goodsyard::graph
