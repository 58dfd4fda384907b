// The input that the command line names: its edges, and candidates for sources.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "graph/asked.hpp"
#include "graph/edge.hpp"
#include "mpi/session.hpp"

namespace goodsyard::graph {

struct Drawn {
    std::unique_ptr<Edges> edges;
    /// Vertices to start from, by index; isolated ones and duplicates among them.
    std::function<std::uint64_t(std::uint64_t)> candidate;
};

/// Collective. Raises SharedFailure where a file is no graph, or the graph does not fit in the memory of this
/// machine.
Drawn make_input(const World& world, const Input& input);

} // namespace goodsyard::graph
