// A number of each rank that the ranks of its node read without a message.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace goodsyard::runtime {

struct NodeNumbers {
    /// This rank's; none where the ranks of a node share no memory.
    std::atomic<std::uint64_t>* number = nullptr;
    std::vector<const std::atomic<std::uint64_t>*> all;

    /// Write this rank's number, and return the least of the node's as they are now: others may lag behind.
    [[nodiscard]] std::uint64_t least_with(std::uint64_t value) const {
        number->store(value, std::memory_order_relaxed);
        for (const std::atomic<std::uint64_t>* entry : all) {
            value = std::min(value, entry->load(std::memory_order_relaxed));
        }
        return value;
    }
};

/// Of ranks that share a process, of which so many consecutive ones are a node.
inline NodeNumbers numbers_of_node(std::vector<std::atomic<std::uint64_t>>& of_ranks, int rank,
                                   int ranks_of_node) {
    NodeNumbers numbers{&of_ranks[static_cast<std::size_t>(rank)], {}};
    const int first = rank - rank % ranks_of_node;
    const int end = std::min(first + ranks_of_node, static_cast<int>(of_ranks.size()));
    for (int i = first; i < end; ++i) {
        numbers.all.push_back(&of_ranks[static_cast<std::size_t>(i)]);
    }
    return numbers;
}

} // namespace goodsyard::runtime
