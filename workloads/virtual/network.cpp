#include "virtual/network.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "harness/failure.hpp"

namespace goodsyard::virtual_time {

namespace {

constexpr SizeClass any_size;

int torus_hops(const std::vector<int>& extents, int from, int to) {
    int hops = 0;
    for (const int extent : extents) {
        const int apart = std::abs(from % extent - to % extent);
        hops += std::min(apart, extent - apart);
        from /= extent;
        to /= extent;
    }
    return hops;
}

int fat_tree_hops(const std::vector<int>& extents, int from, int to) {
    int hops = 0;
    for (const int extent : extents) {
        if (from == to) {
            break;
        }
        from /= extent;
        to /= extent;
        hops += 2; // Up, and down on the other side.
    }
    return hops;
}

} // namespace

const SizeClass& Link::class_of(std::uint32_t bytes) const {
    const SizeClass* result = &any_size;
    for (const SizeClass& size : sizes) {
        if (bytes < size.from_bytes) {
            break;
        }
        result = &size;
    }
    return *result;
}

double Link::least_flight() const {
    double factor = sizes.empty() || sizes.front().from_bytes > 0 ? 1 : sizes.front().latency;
    for (const SizeClass& size : sizes) {
        factor = std::min(factor, size.latency);
    }
    return latency_s * factor;
}

int Topology::hops(int from, int to) const {
    if (from == to) {
        return 0;
    }
    switch (kind) {
    case TopologyKind::crossbar:
        return 1;
    case TopologyKind::torus:
        return torus_hops(extents, from, to);
    case TopologyKind::fat_tree:
        return fat_tree_hops(extents, from, to);
    }
    return 1;
}

void check_fits(const Network& network, int ranks) {
    const long long places = static_cast<long long>(network.nodes) * network.ranks_of_node;
    if (ranks > places) {
        throw UsageError("--ranks " + std::to_string(ranks) + ": the network has " +
                         std::to_string(network.nodes) + " nodes of " +
                         std::to_string(network.ranks_of_node) + ", room for " + std::to_string(places));
    }
}

} // namespace goodsyard::virtual_time
