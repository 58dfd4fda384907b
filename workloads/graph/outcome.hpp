// What an algorithm has found of each vertex, as a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "harness/table_file.hpp"

namespace goodsyard::graph {

struct Outcome {
    std::vector<Column> columns; ///< Beside the vertex.
    /// The cells of an own vertex.
    std::function<void(std::size_t local, std::vector<std::uint64_t>& cells)> append;
};

/// Write a row for each vertex, in the order of their numbers. Collective. Raises SharedFailure where that
/// fails.
void write_outcome(const Team& team, const Csr& graph, const Outcome& outcome, const std::string& path);

} // namespace goodsyard::graph
