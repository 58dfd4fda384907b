// FNV-1a of the tuples in their order, by which two generators are compared to the bit.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "graph/edge.hpp"
#include "harness/team.hpp"

namespace goodsyard::graph {

class Fnv1a {
  public:
    /// The eight bytes of a word, lowest first.
    constexpr void add(std::uint64_t word) {
        for (int byte = 0; byte < 8; ++byte) {
            hash_ = (hash_ ^ ((word >> (8 * byte)) & 0xFFU)) * 0x100000001B3U;
        }
    }
    [[nodiscard]] constexpr std::uint64_t value() const { return hash_; }

  private:
    std::uint64_t hash_ = 0xCBF29CE484222325U;
};

/// Of all tuples, by rank; the hash goes from rank to rank, the tuples stay. Collective.
inline std::uint64_t tuple_hash(const Team& team, const Edges& edges) {
    Fnv1a hash;
    for (int rank = 0; rank < team.size(); ++rank) {
        if (rank == team.rank()) {
            for_batches(edges, [&](const std::vector<Edge>& some) {
                for (const Edge& edge : some) {
                    hash.add(edge.source);
                    hash.add(edge.target);
                    hash.add(std::bit_cast<std::uint32_t>(edge.weight));
                }
            });
        }
        team.broadcast(hash, rank);
    }
    return hash.value();
}

} // namespace goodsyard::graph
