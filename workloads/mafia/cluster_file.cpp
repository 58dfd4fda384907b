#include "mafia/cluster_file.hpp"

#include <array>
#include <cstdint>
#include <numeric>

#include "harness/table_file.hpp"

namespace goodsyard::mafia {

void write_clusters(const std::vector<Cluster>& clusters, const std::string& path) {
    const Alone alone;
    const std::uint64_t rows = std::accumulate(
        clusters.begin(), clusters.end(), std::uint64_t{0},
        [](std::uint64_t sum, const Cluster& cluster) { return sum + cluster.dimensions.size(); });
    TableFile file(alone, path,
                   {{"cluster", CellKind::i64},
                    {"points", CellKind::i64},
                    {"dimension", CellKind::i64},
                    {"lower", CellKind::f64},
                    {"upper", CellKind::f64}},
                   rows);
    for (std::size_t number = 0; number < clusters.size(); ++number) {
        const Cluster& cluster = clusters[number];
        for (std::size_t i = 0; i < cluster.dimensions.size(); ++i) {
            file.append(std::array{cell_of(number), cell_of(cluster.count), cell_of(cluster.dimensions[i]),
                                   cell_of(cluster.lower[i]), cell_of(cluster.upper[i])});
        }
    }
    file.close();
}

void write_members(const std::vector<Cluster>& clusters, std::size_t points, const std::string& path) {
    const Alone alone;
    const auto rows =
        std::accumulate(clusters.begin(), clusters.end(), std::int64_t{0},
                        [](std::int64_t sum, const Cluster& cluster) { return sum + cluster.count; });
    TableFile file(alone, path, {{"point", CellKind::i64}, {"cluster", CellKind::i64}},
                   static_cast<std::uint64_t>(rows));
    constexpr std::size_t bits = 64;
    for (std::size_t number = 0; number < clusters.size(); ++number) {
        for (std::size_t point = 0; point < points; ++point) {
            if ((clusters[number].points[point / bits] >> (point % bits) & 1U) != 0) {
                file.append(std::array{cell_of(point), cell_of(number)});
            }
        }
    }
    file.close();
}

} // namespace goodsyard::mafia
