// Which rank has a vertex. All ranks have equally many, but for one more on the first ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "graph/shuffle.hpp"

namespace goodsyard::graph {

/// How vertices are dealt out.
enum class Dealing : int {
    cyclic, ///< One by one, so that hubs of any input are spread.
    block,  ///< Consecutive ones to a rank: neighbours of a lattice, or of roads, stay together.
    hash,   ///< One by one in a drawn order, where a stride of the input fits the number of ranks.
};

/// A vertex of the input as algorithms handle it: its owner in the upper bits, its place there in the lower.
/// With GOODSYARD_WIDE_VERTICES as many as fit in 64 bits, at most 2^32 - 1 of a rank; work items are longer.
/// What depends on it lies in a namespace of its own, so that nothing links with a library of the other
/// width.
#ifdef GOODSYARD_WIDE_VERTICES
#define GOODSYARD_VERTICES vertices_of_64_bits
using Vertex = std::uint64_t;
#else
#define GOODSYARD_VERTICES vertices_of_32_bits
using Vertex = std::uint32_t;
#endif

inline constexpr Vertex no_vertex = ~Vertex{0};

inline namespace GOODSYARD_VERTICES {

class Owners {
  public:
    /// `vertices` and `ranks` are positive.
    Owners(std::uint64_t vertices, int ranks, Dealing dealing = Dealing::cyclic)
        : vertices_(vertices), ranks_(static_cast<std::uint64_t>(ranks)),
          bits_(static_cast<int>(std::bit_width((vertices - 1) / ranks_))), mask_((Vertex{1} << bits_) - 1),
          dealing_(dealing), shuffle_(vertices) {}

    /// What keeps so many vertices on so many ranks from being numbered, if anything does.
    static std::optional<std::string> refused(std::uint64_t vertices, int ranks) {
        if (vertices == 0) {
            return "a graph without vertices";
        }
        const auto p = static_cast<std::uint64_t>(ranks);
        // The last number is no_vertex. Places of a rank have 32 bits, one of which is spare in 32.
        constexpr int most_bits = sizeof(Vertex) > sizeof(std::uint32_t) ? 32 : 31;
        const auto bits = static_cast<int>(std::bit_width((vertices - 1) / p));
        if (bits <= most_bits && (p << bits) <= std::uint64_t{no_vertex}) {
            return std::nullopt;
        }
        const std::string numbers =
            std::to_string(vertices) + " vertices on " + std::to_string(ranks) + " ranks do not fit in ";
        return sizeof(Vertex) > sizeof(std::uint32_t)
                   ? numbers + "64 bits with 32 for those of a rank"
                   : numbers + "32 bits; a tree with -DGOODSYARD_WIDE_VERTICES=ON takes more";
    }

    [[nodiscard]] std::uint64_t vertices() const { return vertices_; }
    [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(ranks_); }
    [[nodiscard]] std::size_t owner(Vertex vertex) const { return vertex >> bits_; }
    [[nodiscard]] std::size_t local(Vertex vertex) const { return vertex & mask_; }

    /// The number of a vertex of the input, and back.
    [[nodiscard]] Vertex vertex(std::uint64_t number) const {
        switch (dealing_) {
        case Dealing::block:
            return vertex_of_block(number);
        case Dealing::hash:
            return vertex_of_turn(shuffle_(number));
        case Dealing::cyclic:
            break;
        }
        return vertex_of_turn(number);
    }
    [[nodiscard]] std::uint64_t number(Vertex vertex) const {
        if (dealing_ == Dealing::block) {
            return first_of_block(owner(vertex)) + local(vertex);
        }
        const std::uint64_t turn = local(vertex) * ranks_ + owner(vertex);
        return dealing_ == Dealing::hash ? shuffle_.inverse(turn) : turn;
    }

    /// Whether numbers of all vertices ascend with these.
    [[nodiscard]] bool all_ascend() const {
        return dealing_ == Dealing::block || (ranks_ == 1 && dealing_ == Dealing::cyclic);
    }
    /// Whether numbers of a rank's vertices ascend with their places.
    [[nodiscard]] bool ascend() const { return dealing_ != Dealing::hash; }

    /// The vertex at a place of a rank.
    [[nodiscard]] Vertex at(std::size_t rank, std::size_t local) const {
        return static_cast<Vertex>((rank << bits_) | local);
    }
    /// Vertices of a rank.
    [[nodiscard]] std::size_t count(std::size_t rank) const {
        return static_cast<std::size_t>((vertices_ + ranks_ - 1 - rank) / ranks_);
    }

  private:
    [[nodiscard]] Vertex vertex_of_turn(std::uint64_t turn) const {
        return at(static_cast<std::size_t>(turn % ranks_), static_cast<std::size_t>(turn / ranks_));
    }
    [[nodiscard]] Vertex vertex_of_block(std::uint64_t number) const {
        const std::uint64_t least = vertices_ / ranks_;
        const std::uint64_t in_longer = vertices_ % ranks_ * (least + 1);
        const std::uint64_t rank =
            number < in_longer ? number / (least + 1) : vertices_ % ranks_ + (number - in_longer) / least;
        return at(static_cast<std::size_t>(rank), static_cast<std::size_t>(number - first_of_block(rank)));
    }
    [[nodiscard]] std::uint64_t first_of_block(std::uint64_t rank) const {
        return rank * (vertices_ / ranks_) + std::min(rank, vertices_ % ranks_);
    }

    std::uint64_t vertices_;
    std::uint64_t ranks_;
    int bits_;
    Vertex mask_;
    Dealing dealing_;
    Shuffle shuffle_; ///< Of the numbers, where they are dealt out by hash.
};

} // namespace GOODSYARD_VERTICES

} // namespace goodsyard::graph
