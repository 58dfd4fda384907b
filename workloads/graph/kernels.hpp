// The kernels of each verb, a source each, and what they share. Each source compiles the machine for its own
// algorithms alone.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "agm/order.hpp"
#include "graph/kernel.hpp"
#include "harness/checksum.hpp"

namespace goodsyard::graph {

std::unique_ptr<Kernel> make_sssp(const Place& place, const Asked& request);
std::unique_ptr<Kernel> make_bfs(const Place& place, const Asked& request);
std::unique_ptr<Kernel> make_components(const Place& place, const Asked& request);
std::unique_ptr<Kernel> make_cores(const Place& place, const Asked& request);
std::unique_ptr<Kernel> make_pagerank(const Place& place, const Asked& request);
std::unique_ptr<Kernel> make_betweenness(const Place& place, const Asked& request);
std::unique_ptr<Kernel> make_independent_set(const Place& place, const Asked& request);
std::unique_ptr<Kernel> make_colouring(const Place& place, const Asked& request);
std::unique_ptr<Kernel> make_triangles(const Place& place, const Asked& request);

/// The orders of work items that are asked for, global and local, or else the usual one of the algorithm.
agm::Orders orders_of(const Asked& request, const Csr& graph, agm::OrderKind usual);

/// Undirected edges of the whole graph. Collective.
double all_edges(const Team& team, const Csr& graph);

/// Of pairs (vertex, value), wherever they are; as much of it as a double holds.
template <class Value>
double checksum_of(const Team& team, const Csr& graph, const std::vector<Value>& values) {
    Checksum own;
    for (std::size_t local = 0; local < values.size(); ++local) {
        own.add(mix64(graph.owners.number(graph.vertex(local))) ^ bits_of(values[local]));
    }
    constexpr unsigned lost = 11;
    return static_cast<double>(of_all(team, own).mixed >> lost);
}

/// One value of each vertex, which is there as long as the outcome.
template <class Value>
Outcome outcome_of(const std::string& name, const std::vector<Value>& values) {
    const CellKind kind = std::is_floating_point_v<Value> ? CellKind::f64 : CellKind::i64;
    return {{{name, kind}},
            [&values](std::size_t local, auto& cells) { cells.push_back(cell_of(values[local])); }};
}

} // namespace goodsyard::graph
