// What the owners of vertices know of them: questions to all other ranks together, and their answers.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/owners.hpp"
#include "harness/team.hpp"

namespace goodsyard::graph {

/// `at(local)` of every wanted vertex, from its owner, in the order asked. Collective.
template <class At>
auto lookup(const Team& team, const Owners& owners, const std::vector<Vertex>& target, At at) {
    using Value = decltype(at(std::size_t{}));
    const auto self = static_cast<std::size_t>(team.rank());
    std::vector<std::vector<Vertex>> asked(owners.ranks());
    for (const Vertex vertex : target) {
        if (const std::size_t rank = owners.owner(vertex); rank != self) {
            asked[rank].push_back(vertex);
        }
    }
    std::vector<std::vector<Value>> answers(owners.ranks());
    const std::vector<std::vector<Vertex>> questions = team.exchanged(asked);
    for (std::size_t rank = 0; rank < questions.size(); ++rank) {
        for (const Vertex vertex : questions[rank]) {
            answers[rank].push_back(at(owners.local(vertex)));
        }
    }
    const std::vector<std::vector<Value>> found = team.exchanged(answers);
    std::vector<std::size_t> next(owners.ranks());
    std::vector<Value> values;
    values.reserve(target.size());
    for (const Vertex vertex : target) {
        const std::size_t rank = owners.owner(vertex);
        values.push_back(rank == self ? at(owners.local(vertex)) : found[rank][next[rank]++]);
    }
    return values;
}

} // namespace goodsyard::graph
