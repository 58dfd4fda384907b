// Edges that a test names, and what one process finds out about them by the textbook.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "agm/drawn_order.hpp"
#include "graph/edge.hpp"
#include "harness/random.hpp"
#include "harness/share.hpp"

namespace goodsyard::graph {

/// A list, of which every rank has its share.
class ListedEdges final : public Edges {
  public:
    ListedEdges(const Team& team, std::uint64_t vertices, const std::vector<Edge>& all)
        : vertices_(vertices), all_(all), share_(share_of(all.size(), team)) {}
    [[nodiscard]] std::uint64_t vertices() const override { return vertices_; }
    [[nodiscard]] std::uint64_t own() const override { return share_.count; }
    void read(std::uint64_t first, std::span<Edge> out) const override {
        std::copy_n(all_.begin() + static_cast<std::ptrdiff_t>(share_.first + first), out.size(),
                    out.begin());
    }

  private:
    std::uint64_t vertices_;
    const std::vector<Edge>& all_;
    Share share_;
};

struct Example {
    std::uint64_t vertices = 0;
    std::vector<Edge> edges;
};

/// So many edges at random, loops and parallel ones among them, with whole weights from 0 to 20.
inline Example random_example(std::uint64_t vertices, std::uint64_t edges, std::uint64_t seed) {
    Example example{vertices, {}};
    const Random random(seed);
    for (std::uint64_t i = 0; i < edges; ++i) {
        example.edges.push_back({random.below(vertices, 3 * i), random.below(vertices, 3 * i + 1),
                                 static_cast<float>(random.below(21, 3 * i + 2))});
    }
    return example;
}

/// n × n vertices, each joined to four.
inline Example torus(std::uint64_t n) {
    Example example{n * n, {}};
    for (std::uint64_t row = 0; row < n; ++row) {
        for (std::uint64_t column = 0; column < n; ++column) {
            const std::uint64_t vertex = row * n + column;
            example.edges.push_back({vertex, row * n + (column + 1) % n, 1});
            example.edges.push_back({vertex, (row + 1) % n * n + column, 1});
        }
    }
    return example;
}

/// Dijkstra 1959, with a heap: distances from a vertex, infinite where there is no path.
inline std::vector<float> serial_distances(const Example& example, std::uint64_t root, bool unit_weights) {
    std::vector<std::vector<std::pair<std::uint64_t, float>>> rows(example.vertices);
    for (const Edge& edge : example.edges) {
        const float weight = unit_weights ? 1.0F : edge.weight;
        rows[edge.source].emplace_back(edge.target, weight);
        rows[edge.target].emplace_back(edge.source, weight);
    }
    std::vector<float> distances(example.vertices, std::numeric_limits<float>::infinity());
    using Entry = std::pair<float, std::uint64_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(distances[root] = 0, root);
    while (!queue.empty()) {
        const auto [distance, vertex] = queue.top();
        queue.pop();
        if (distance > distances[vertex]) {
            continue;
        }
        for (const auto& [target, weight] : rows[vertex]) {
            if (distance + weight < distances[target]) {
                queue.emplace(distances[target] = distance + weight, target);
            }
        }
    }
    return distances;
}

/// Union-find (Tarjan 1975): the least vertex of each vertex's component.
inline std::vector<std::uint32_t> serial_labels(const Example& example) {
    std::vector<std::uint32_t> label(example.vertices);
    std::iota(label.begin(), label.end(), 0U);
    const auto find = [&](std::uint64_t vertex) {
        while (label[vertex] != vertex) {
            vertex = label[vertex] = label[label[vertex]];
        }
        return static_cast<std::uint32_t>(vertex);
    };
    for (const Edge& edge : example.edges) {
        const std::uint32_t a = find(edge.source);
        const std::uint32_t b = find(edge.target);
        label[std::max(a, b)] = std::min(a, b);
    }
    for (std::uint64_t vertex = 0; vertex < example.vertices; ++vertex) {
        label[vertex] = find(vertex);
    }
    return label;
}

/// Neighbours of each vertex, without loops and parallel edges.
inline std::vector<std::vector<std::uint64_t>> simple_rows(const Example& example) {
    std::vector<std::vector<std::uint64_t>> rows(example.vertices);
    for (const Edge& edge : example.edges) {
        if (edge.source != edge.target) {
            rows[edge.source].push_back(edge.target);
            rows[edge.target].push_back(edge.source);
        }
    }
    for (auto& row : rows) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    return rows;
}

/// One vertex after the other in the drawn order: the least colour that no neighbour has yet.
inline std::vector<std::uint32_t> serial_colours(const Example& example) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    const auto rows = simple_rows(example);
    std::vector<std::uint64_t> order(example.vertices);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::ranges::sort(order, {}, agm::place_in_drawn_order);
    std::vector<std::uint32_t> colours(example.vertices, none);
    for (const std::uint64_t vertex : order) {
        std::uint32_t colour = 0;
        while (
            std::ranges::any_of(rows[vertex], [&](std::uint64_t near) { return colours[near] == colour; })) {
            ++colour;
        }
        colours[vertex] = colour;
    }
    return colours;
}

/// All triples.
inline std::uint64_t serial_triangles(const Example& example) {
    const auto rows = simple_rows(example);
    const auto are_joined = [&](std::uint64_t a, std::uint64_t b) {
        return std::ranges::binary_search(rows[a], b);
    };
    std::uint64_t result = 0;
    for (std::uint64_t a = 0; a < example.vertices; ++a) {
        for (std::uint64_t b = a + 1; b < example.vertices; ++b) {
            for (std::uint64_t c = b + 1; are_joined(a, b) && c < example.vertices; ++c) {
                result += are_joined(a, c) && are_joined(b, c) ? 1 : 0;
            }
        }
    }
    return result;
}

/// Peeling by definition: for k = 1, 2, …, take away vertices of fewer than k neighbours until there are
/// none.
inline std::vector<std::uint32_t> serial_cores(const Example& example) {
    const auto rows = simple_rows(example);
    std::vector<bool> is_left(example.vertices, true);
    std::vector<std::uint32_t> cores(example.vertices, 0);
    for (std::uint32_t k = 1; std::find(is_left.begin(), is_left.end(), true) != is_left.end(); ++k) {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint64_t vertex = 0; vertex < example.vertices; ++vertex) {
                const auto remaining = std::count_if(rows[vertex].begin(), rows[vertex].end(),
                                                     [&](std::uint64_t second) { return is_left[second]; });
                if (is_left[vertex] && remaining < static_cast<std::ptrdiff_t>(k)) {
                    is_left[vertex] = false;
                    cores[vertex] = k - 1;
                    changed = true;
                }
            }
        }
    }
    return cores;
}

} // namespace goodsyard::graph
