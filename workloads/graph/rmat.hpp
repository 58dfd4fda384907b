// R-MAT graphs with integer weights: those of "The Value of Variance" (DOI 10.1145/2851553.2851573).
//
// Chakrabarti, Zhan, Faloutsos: R-MAT: a recursive model for graph mining, SDM 2004,
// DOI 10.1137/1.9781611972740.43. Numbers come by seed and index: any rank draws any edge.
#pragma once

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "graph/scramble.hpp"
#include "harness/random.hpp"

namespace goodsyard::graph {

/// Probabilities of three quadrants; the fourth has the rest.
struct Quadrants {
    double a = 0;
    double b = 0;
    double c = 0;
};

inline constexpr Quadrants rmat1{.57, .19, .19};
inline constexpr Quadrants rmat2{.50, .10, .10};

class Rmat {
  public:
    /// 2^scale vertices, scale 1 to 31, and 16 edges for each, none a loop; weights are whole numbers from 1
    /// to `largest_weight`.
    Rmat(const Quadrants& quadrants, int scale, std::uint64_t largest_weight, std::uint64_t seed)
        : quadrants_(quadrants), scale_(scale), largest_weight_(largest_weight), seed_(seed),
          scramble_(scale, Random(seed, words).bits(0), Random(seed, words).bits(1)) {}

    [[nodiscard]] std::uint64_t vertices() const { return std::uint64_t{1} << scale_; }
    [[nodiscard]] std::uint64_t edges() const { return std::uint64_t{16} << scale_; }

    void draw(std::uint64_t first, std::span<Edge> out) const {
        for (std::uint64_t i = 0; i < out.size(); ++i) {
            out[i] = edge(first + i);
        }
    }

    [[nodiscard]] std::uint64_t root(std::uint64_t index) const {
        return Random(seed_, roots).below(vertices(), index);
    }

  private:
    // Streams of random numbers; those from `attempts` on are of edges, the second where the first is a loop,
    // and so on.
    enum Stream : std::uint64_t { words = 1, weights, roots, attempts };

    [[nodiscard]] Edge edge(std::uint64_t index) const {
        const auto weight = static_cast<float>(1 + Random(seed_, weights).below(largest_weight_, index));
        for (std::uint64_t attempt = attempts;; ++attempt) {
            const Edge drawn = ends(Random(seed_, attempt), index);
            if (drawn.source != drawn.target) {
                return {scramble_(drawn.source), scramble_(drawn.target), weight};
            }
        }
    }

    [[nodiscard]] Edge ends(const Random& random, std::uint64_t index) const {
        Edge drawn{};
        const auto levels = static_cast<std::uint64_t>(scale_);
        for (std::uint64_t level = 0; level < levels; ++level) {
            const double u = random.unit(index * levels + level);
            const bool lower = u >= quadrants_.a + quadrants_.b;
            const bool right = lower ? u >= quadrants_.a + quadrants_.b + quadrants_.c : u >= quadrants_.a;
            drawn.source = 2 * drawn.source + (lower ? 1 : 0);
            drawn.target = 2 * drawn.target + (right ? 1 : 0);
        }
        return drawn;
    }

    Quadrants quadrants_;
    int scale_;
    std::uint64_t largest_weight_;
    std::uint64_t seed_;
    Scramble scramble_;
};

} // namespace goodsyard::graph
