#include "mafia/recovery.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace goodsyard::mafia {

namespace {

std::vector<std::uint64_t> points_in(const Box& box, const Points& points) {
    std::vector<std::uint64_t> inside((points.count + 63) / 64, ~std::uint64_t{0});
    if (points.count % 64 != 0) {
        inside.back() = (std::uint64_t{1} << (points.count % 64)) - 1;
    }
    for (std::size_t i = 0; i < box.dimensions.size(); ++i) {
        const double* const x = points.dimension(box.dimensions[i]);
        for (std::size_t p = 0; p < points.count; ++p) {
            if (x[p] < box.lower[i] || x[p] >= box.upper[i]) {
                inside[p / 64] &= ~(std::uint64_t{1} << (p % 64));
            }
        }
    }
    return inside;
}

Recovered compare(const Box& box, const Cluster& cluster, const Points& points) {
    const std::vector<std::uint64_t> truth = points_in(box, points);
    double planted = 0;
    double both = 0;
    for (std::size_t word = 0; word < truth.size(); ++word) {
        planted += std::popcount(truth[word]);
        both += std::popcount(truth[word] & cluster.points[word]);
    }
    Recovered result{true, planted > 0 ? both / planted : 0,
                     cluster.count > 0 ? both / static_cast<double>(cluster.count) : 0, 0};
    for (std::size_t i = 0; i < box.dimensions.size(); ++i) {
        result.largest_edge = std::max({result.largest_edge, std::abs(box.lower[i] - cluster.lower[i]),
                                        std::abs(box.upper[i] - cluster.upper[i])});
    }
    return result;
}

} // namespace

std::vector<Recovered> compare(const std::vector<Box>& planted, const std::vector<Cluster>& clusters,
                               const Points& points) {
    std::vector<Recovered> results;
    for (const Box& box : planted) {
        Recovered best;
        for (const Cluster& cluster : clusters) {
            if (cluster.dimensions == box.dimensions) {
                if (const Recovered recovered = compare(box, cluster, points);
                    !best.found || recovered.recall > best.recall) {
                    best = recovered;
                }
            }
        }
        results.push_back(best);
    }
    return results;
}

} // namespace goodsyard::mafia
