#include "uts/tree.hpp"

#include <algorithm>
#include <cmath>

namespace goodsyard::uts {

namespace {

/// Of every node but the root of a binomial tree, and those of a balanced one.
constexpr std::uint32_t most_children = 100;

constexpr double pi = 3.141592653589793; // As the reference has it.

/// Uniform in [0, 1), a multiple of 2^-31.
double uniform(const Node& node) {
    constexpr std::uint32_t positive = 0x7fffffff;
    return static_cast<double>(node.state[4] & positive) / 2147483648.0;
}

} // namespace

std::optional<std::string> refused(const TreeParameters& parameters) {
    const bool has_shape = parameters.kind == Kind::geometric || parameters.kind == Kind::hybrid;
    const bool has_power = parameters.shape == Shape::expdec || parameters.shape == Shape::cyclic;
    if (has_shape && has_power && parameters.root_children <= 0) {
        return "-b 0: the shapes expdec and cyclic need more than 0 expected children of the root";
    }
    if (has_shape && parameters.shape == Shape::expdec && parameters.depth < 2) {
        return "-d " + std::to_string(parameters.depth) + ": the shape expdec needs a depth of 2 or more";
    }
    return std::nullopt;
}

Tree::Tree(const TreeParameters& parameters, Sha sha) : parameters_(parameters), sha_(sha) {}

Node Tree::root() const {
    return {Sha1::root(static_cast<std::uint32_t>(parameters_.seed)), 0};
}

std::uint32_t Tree::children(const Node& node) {
    switch (parameters_.kind) {
    case Kind::binomial:
        return node.depth == 0 ? static_cast<std::uint32_t>(parameters_.root_children) : binomial(node);
    case Kind::geometric:
        return geometric(node);
    case Kind::hybrid:
        return node.depth < parameters_.shift * parameters_.depth ? geometric(node) : binomial(node);
    case Kind::balanced:
        return node.depth < static_cast<std::uint32_t>(parameters_.depth)
                   ? static_cast<std::uint32_t>(parameters_.root_children)
                   : 0;
    }
    return 0;
}

std::uint32_t Tree::binomial(const Node& node) const {
    const auto children = static_cast<std::uint32_t>(parameters_.inner_children);
    return uniform(node) < parameters_.inner_probability ? std::min(children, most_children) : 0;
}

std::uint32_t Tree::geometric(const Node& node) {
    for (auto depth = static_cast<std::uint32_t>(log_of_more_.size()); depth <= node.depth; ++depth) {
        const double last = 1 / (1 + expected_children(depth));
        log_of_more_.push_back(std::log(1 - last));
    }
    const double children = std::log(1 - uniform(node)) / log_of_more_[node.depth];
    // Where too many are expected for a double to tell, it is not a number, or below 0.
    return children >= 0 && children < most_children ? static_cast<std::uint32_t>(children) : most_children;
}

double Tree::expected_children(std::uint32_t depth) const {
    const double at_root = parameters_.root_children;
    const double deepest = parameters_.depth;
    if (depth == 0) {
        return at_root;
    }
    switch (parameters_.shape) {
    case Shape::linear:
        return std::max(0.0, at_root * (1.0 - depth / deepest));
    case Shape::expdec:
        return at_root * std::pow(depth, -std::log(at_root) / std::log(deepest));
    case Shape::cyclic:
        return depth > 5 * deepest ? 0 : std::pow(at_root, std::sin(2.0 * pi * depth / deepest));
    case Shape::fixed:
        return depth < deepest ? at_root : 0;
    }
    return 0;
}

} // namespace goodsyard::uts
