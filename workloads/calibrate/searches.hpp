// Searches of small graphs by the machine of graph algorithms, on one rank.
#pragma once

#include <cstdint>
#include <utility>

#include "agm/bfs.hpp"
#include "agm/machine.hpp"
#include "agm/sssp.hpp"
#include "graph/csr.hpp"
#include "harness/random.hpp"
#include "runtime/alone.hpp"

namespace goodsyard {

/// Vertices one after the other: each is a class of its own.
inline graph::Csr path_graph() {
    constexpr graph::Vertex vertices = 1 << 11;
    graph::Csr graph{graph::Owners(vertices, 1), 0, {}, {}, {}, {}};
    for (graph::Vertex i = 0; i + 1 < vertices; ++i) {
        graph.begin.push_back(i);
        graph.targets.push_back(i + 1);
    }
    graph.begin.insert(graph.begin.end(), 2, vertices - 1);
    graph.weights.assign(graph.targets.size(), 1);
    return graph;
}

/// Each vertex has 64 neighbours, and their weights, that are drawn.
inline graph::Csr drawn_graph() {
    constexpr graph::Vertex vertices = 1 << 10;
    constexpr std::uint64_t degree = 64;
    constexpr std::uint64_t weights = 255;
    graph::Csr graph{graph::Owners(vertices, 1), 0, {}, {}, {}, {}};
    const Random random(4);
    const Random random_weights(5);
    for (std::uint64_t i = 0; i <= vertices; ++i) {
        graph.begin.push_back(i * degree);
    }
    for (std::uint64_t i = 0; i < vertices * degree; ++i) {
        graph.targets.push_back(static_cast<graph::Vertex>(random.below(vertices, i)));
        graph.weights.push_back(static_cast<float>(1 + random_weights.below(weights, i)));
    }
    return graph;
}

/// A search from vertex 0 of a graph that caches have, with a class for each distance.
template <class Algorithm>
class Search {
  public:
    template <class... Rest>
    explicit Search(graph::Csr graph, Rest... rest)
        : graph_(std::move(graph)), algorithm_(graph_, rest...),
          transport_(runtime::capacity_bytes(parameters_)), runtime_(transport_, parameters_, computation_),
          machine_(runtime_, graph_, algorithm_, {.global = agm::Order(agm::OrderKind::delta)}) {}

    /// Returns how many edges there were that led to a work item.
    std::uint64_t run() {
        runtime_.counters() = {};
        machine_.run(algorithm_.begin(0));
        const runtime::Counters& counters = runtime_.counters();
        return counters.rejected + counters.useful + counters.superseded - 1; // The first comes over none.
    }
    /// Of the last run, each with an epoch.
    [[nodiscard]] std::uint64_t classes() { return runtime_.counters().epochs - 1; }
    [[nodiscard]] std::uint64_t vertices() const { return graph_.count(); }

  private:
    Computation computation_{ComputeMode::off, ""};
    graph::Csr graph_;
    Algorithm algorithm_;
    runtime::Parameters parameters_ = runtime::settled({});
    runtime::AloneTransport transport_;
    runtime::Runtime runtime_;
    agm::Machine<Algorithm> machine_;
};

} // namespace goodsyard
