// Trees with names, and how many nodes they are known to have.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "uts/tree.hpp"

namespace goodsyard::uts {

struct Counted {
    std::uint64_t nodes = 0;
    std::uint64_t leaves = 0;
    std::uint64_t depth = 0; ///< Of the deepest node; the root's is 0.

    friend bool operator==(const Counted&, const Counted&) = default;
};

struct NamedTree {
    std::string_view name;
    TreeParameters parameters;
    Counted known;
};

/// Those of the reference's list of samples, the larger ones of the evaluation of Grappa, and small ones for
/// tests.
inline constexpr std::array named_trees = {
    NamedTree{"T1",
              {.shape = Shape::fixed, .root_children = 4, .seed = 19, .depth = 10},
              {4'130'071, 3'305'118, 10}},
    NamedTree{"T2",
              {.shape = Shape::cyclic, .root_children = 6, .seed = 502, .depth = 16},
              {4'117'769, 2'342'762, 81}},
    NamedTree{"T3",
              {.kind = Kind::binomial,
               .root_children = 2000,
               .seed = 42,
               .inner_probability = 0.124875,
               .inner_children = 8},
              {4'112'897, 3'599'034, 1572}},
    NamedTree{"T4",
              {.kind = Kind::hybrid,
               .root_children = 6,
               .seed = 1,
               .inner_probability = 0.234375,
               .inner_children = 4,
               .depth = 16},
              {4'132'453, 3'108'986, 134}},
    NamedTree{"T5", {.root_children = 4, .seed = 34, .depth = 20}, {4'147'582, 2'181'318, 20}},
    NamedTree{"T1L",
              {.shape = Shape::fixed, .root_children = 4, .seed = 29, .depth = 13},
              {102'181'082, 81'746'377, 13}},
    NamedTree{"T2L",
              {.shape = Shape::cyclic, .root_children = 7, .seed = 220, .depth = 23},
              {96'793'510, 53'791'152, 67}},
    NamedTree{"T3L",
              {.kind = Kind::binomial,
               .root_children = 2000,
               .seed = 7,
               .inner_probability = 0.200014,
               .inner_children = 5},
              {111'345'631, 89'076'904, 17'844}},
    NamedTree{"T1XL",
              {.shape = Shape::fixed, .root_children = 4, .seed = 29, .depth = 15},
              {1'635'119'272, 1'308'100'063, 15}},
    NamedTree{"small-fixed",
              {.shape = Shape::fixed, .root_children = 4, .seed = 19, .depth = 5},
              {3'987, 3'232, 5}},
    NamedTree{"small-expdec",
              {.shape = Shape::expdec, .root_children = 4, .seed = 19, .depth = 8},
              {4'792, 2'451, 20}},
    NamedTree{"small-binomial",
              {.kind = Kind::binomial,
               .root_children = 200,
               .seed = 42,
               .inner_probability = 0.2,
               .inner_children = 4},
              {1'113, 884, 17}},
    NamedTree{"small-hybrid",
              {.kind = Kind::hybrid,
               .root_children = 4,
               .seed = 1,
               .inner_probability = 0.234375,
               .inner_children = 4,
               .depth = 10},
              {5'504, 4'118, 37}}};

/// What is known of a tree with these parameters, whatever each node costs; none of most trees.
[[nodiscard]] constexpr const Counted* known(TreeParameters parameters) {
    parameters.evaluations = 1;
    for (const NamedTree& tree : named_trees) {
        if (tree.parameters == parameters) {
            return &tree.known;
        }
    }
    return nullptr;
}

} // namespace goodsyard::uts
