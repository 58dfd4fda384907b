#include "runtime/make_transport.hpp"

#include <sys/statvfs.h>
#include <vector>

#include "harness/failure.hpp"
#include "runtime/point_to_point.hpp"
#ifndef GOODSYARD_SIMULATED
#include "runtime/shared_ring.hpp"
#endif

namespace goodsyard::runtime {

#ifndef GOODSYARD_SIMULATED
namespace {

/// Whether the node's file system for shared memory, which is small in a container, has room for the rings
/// twice.
bool has_room_for_ring(const World& world, const Parameters& parameters) {
    struct statvfs shared{};
    const bool is_there = statvfs("/dev/shm", &shared) == 0;
    const double free_bytes =
        is_there ? static_cast<double>(shared.f_bavail) * static_cast<double>(shared.f_frsize) : 0;
    const double ring_bytes =
        static_cast<double>(SharedRing::bytes_of_rank(world.size(), parameters)) * world.size();
    return world.all(Fold::min, free_bytes) >= 2 * ring_bytes;
}

} // namespace
#endif

namespace {

/// Raises UsageError where items are to go by nodes, and these have not equally many consecutive ranks.
int ranks_of_node(const World& world, const Parameters& parameters) {
    if (parameters.route != Route::node) {
        return world.size();
    }
    const int ranks = world.ranks_of_host();
    const std::vector<int> first = world.of_each(world.first_of_host());
    for (int rank = 0; rank < world.size(); ++rank) {
        if (first[static_cast<std::size_t>(rank)] != rank - rank % ranks) {
            throw UsageError("--route node needs nodes of equally many consecutive ranks; grid");
        }
    }
    return ranks;
}

} // namespace

std::unique_ptr<Transport> make_transport(const World& world, const Parameters& parameters) {
#ifndef GOODSYARD_SIMULATED
    const bool on_one_node = world.all(Fold::min, world.ranks_of_host()) == world.size();
    switch (parameters.transport) {
    case TransportKind::point_to_point:
        break;
    case TransportKind::ring:
        if (!on_one_node) {
            throw UsageError("--transport ring needs all ranks on one node; point-to-point");
        }
        return std::make_unique<SharedRing>(comm_of(world), parameters);
    case TransportKind::of_place:
        if (on_one_node && has_room_for_ring(world, parameters)) {
            return std::make_unique<SharedRing>(comm_of(world), parameters);
        }
        break;
    }
#endif
    return std::make_unique<PointToPoint>(comm_of(world), parameters, ranks_of_node(world, parameters));
}

} // namespace goodsyard::runtime
