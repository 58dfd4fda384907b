#include "mafia/clusters.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace goodsyard::mafia {

Cluster make_cluster(std::vector<std::vector<int>> units, const Grid& grid) {
    const auto window = [&](int row) -> const Window& { return grid.windows[static_cast<std::size_t>(row)]; };
    Cluster cluster;
    for (const int row : units.front()) {
        cluster.dimensions.push_back(window(row).dimension);
        cluster.lower.push_back(window(row).lower);
        cluster.upper.push_back(window(row).upper);
    }
    cluster.points.resize(grid.bitmaps.words);
    for (const std::vector<int>& unit : units) {
        for (std::size_t i = 0; i < unit.size(); ++i) {
            cluster.lower[i] = std::min(cluster.lower[i], window(unit[i]).lower);
            cluster.upper[i] = std::max(cluster.upper[i], window(unit[i]).upper);
        }
        const std::vector<std::uint64_t> points = common(grid.bitmaps, unit);
        std::transform(points.begin(), points.end(), cluster.points.begin(), cluster.points.begin(),
                       std::bit_or());
    }
    for (const std::uint64_t word : cluster.points) {
        cluster.count += std::popcount(word);
    }
    cluster.units = std::move(units);
    return cluster;
}

} // namespace goodsyard::mafia
