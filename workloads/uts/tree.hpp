// The trees of the Unbalanced Tree Search benchmark (UTS 2.1): each node's children follow from its state.
//
// S. Olivier, J. Huan, J. Liu, J. Prins, J. Dinan, P. Sadayappan, C.-W. Tseng: UTS: An Unbalanced Tree Search
// Benchmark, LCPC 2006, DOI 10.1007/978-3-540-72521-3_18. The same trees to the node as the reference code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uts/sha1.hpp"

namespace goodsyard::uts {

enum class Kind : int {
    binomial,  ///< Below the root, m children with probability q.
    geometric, ///< Geometrically distributed, with an expectation by depth.
    hybrid,    ///< Geometric at the top, binomial below.
    balanced,  ///< The same number everywhere, to a depth.
};

/// How the expected number of children of a geometric tree depends on depth.
enum class Shape : int { linear, expdec, cyclic, fixed };

/// The defaults are those of the reference.
struct TreeParameters {
    Kind kind = Kind::geometric;
    Shape shape = Shape::linear;
    double root_children = 4;            ///< b0.
    int seed = 0;                        ///< r.
    double inner_probability = 15 / 64.; ///< q, binomial: of having children.
    int inner_children = 4;              ///< m, binomial.
    int depth = 6;                       ///< d, of geometric trees.
    double shift = 0.5;                  ///< f, hybrid: binomial from this fraction of d on.
    int evaluations = 1;                 ///< g: of SHA-1, a child.

    friend bool operator==(const TreeParameters&, const TreeParameters&) = default;
};

/// What keeps parameters from being those of a tree, if anything does.
[[nodiscard]] std::optional<std::string> refused(const TreeParameters& parameters);

struct Node {
    Digest state;
    std::uint32_t depth;
};

class Tree {
  public:
    /// `parameters` are not refused.
    Tree(const TreeParameters& parameters, Sha sha);

    [[nodiscard]] Node root() const;

    /// How many children a node has.
    [[nodiscard]] std::uint32_t children(const Node& node);

    /// The states of some children, from the first-th on.
    void spawn(const Node& node, std::uint32_t first, std::span<Digest> states) const {
        for (int i = 0; i < parameters_.evaluations; ++i) {
            sha_.children(node.state, first, states);
        }
    }

    [[nodiscard]] bool by_instructions() const { return sha_.by_instructions(); }
    [[nodiscard]] const TreeParameters& parameters() const { return parameters_; }

  private:
    [[nodiscard]] std::uint32_t geometric(const Node& node);
    [[nodiscard]] std::uint32_t binomial(const Node& node) const;
    /// Of a geometric tree.
    [[nodiscard]] double expected_children(std::uint32_t depth) const;

    TreeParameters parameters_;
    Sha1 sha_;
    std::vector<double> log_of_more_; ///< By depth: logarithm of the probability of a further child.
};

} // namespace goodsyard::uts
