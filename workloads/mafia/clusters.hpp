// Terminal units that share a face are parts of one cluster.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "mafia/bitmaps.hpp"
#include "mafia/pcount.hpp"
#include "mafia/unit_set.hpp"

namespace goodsyard::mafia {

/// A cluster that was found.
struct Cluster {
    std::vector<int> dimensions;
    std::vector<std::vector<int>> units; ///< of each, its windows: rows of the grid
    std::vector<double> lower;           ///< of its bounding box, dimension by dimension
    std::vector<double> upper;
    std::vector<std::uint64_t> points; ///< a bit a point
    std::int64_t count = 0;            ///< points in it
};

/// The root of an element's tree; halves the path to it.
inline std::size_t find_root(std::vector<std::size_t>& parent, std::size_t i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

/// The root of each unit's connected component: neighbours differ by 1 in the number of one window.
template <class Unit>
std::vector<std::size_t> connect(const std::vector<Unit>& terminal, const std::vector<Window>& windows) {
    UnitSet<Unit> all;
    for (const Unit& unit : terminal) {
        all.insert(unit);
    }
    std::vector<std::size_t> parent(terminal.size());
    std::iota(parent.begin(), parent.end(), 0);
    for (std::size_t i = 0; i < terminal.size(); ++i) {
        terminal[i].each([&](int window) {
            const auto next = static_cast<std::size_t>(window) + 1;
            if (next == windows.size() || windows[next].dimension != windows[next - 1].dimension ||
                windows[next].number != windows[next - 1].number + 1) {
                return;
            }
            if (const auto second = all.find(terminal[i].without(window).with(static_cast<int>(next)))) {
                parent[find_root(parent, i)] = find_root(parent, *second);
            }
        });
    }
    for (std::size_t i = 0; i < terminal.size(); ++i) {
        parent[i] = find_root(parent, i);
    }
    return parent;
}

/// A cluster of the given units, which have equal dimensions. Defined in clusters.cpp.
Cluster make_cluster(std::vector<std::vector<int>> units, const Grid& grid);

/// The clusters of terminal units of one size, in the order of their first units.
template <class Unit>
std::vector<Cluster> make_clusters(const std::vector<Unit>& terminal, const Grid& grid) {
    const std::vector<std::size_t> root = connect(terminal, grid.windows);
    std::map<std::size_t, std::size_t> number; // of a component, by its root
    std::vector<std::vector<std::vector<int>>> components;
    for (std::size_t i = 0; i < terminal.size(); ++i) {
        const auto [at, added] = number.emplace(root[i], components.size());
        if (added) {
            components.emplace_back();
        }
        components[at->second].push_back(terminal[i].windows());
    }
    std::vector<Cluster> clusters;
    for (auto& units : components) {
        clusters.push_back(make_cluster(std::move(units), grid));
    }
    return clusters;
}

} // namespace goodsyard::mafia
