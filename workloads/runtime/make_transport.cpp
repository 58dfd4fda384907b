#include "runtime/make_transport.hpp"

#include <utility>
#include <vector>

#include "harness/failure.hpp"
#include "mpi/check.hpp"
#include "mpi/handles.hpp"
#include "runtime/agreement.hpp"
#include "runtime/point_to_point.hpp"
#ifndef GOODSYARD_SIMULATED
#include <sys/statvfs.h>

#include "runtime/ring_within_node.hpp"
#endif

namespace goodsyard::runtime {

namespace {

/// The ranks that are taken for this one's node: those of its host, or so many of them.
struct Node {
    OwnedComm comm;
    int rank = 0; ///< Of this one in it.
    int size = 1;

    Node(const World& world, const Parameters& parameters) {
        check(MPI_Comm_split_type(comm_of(world), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comm.out()),
              "MPI_Comm_split_type");
        if (parameters.node_ranks != 0) {
            OwnedComm host = std::move(comm);
            int rank_of_host = 0;
            check(MPI_Comm_rank(host.get(), &rank_of_host), "MPI_Comm_rank");
            check(MPI_Comm_split(host.get(), rank_of_host / parameters.node_ranks, 0, comm.out()),
                  "MPI_Comm_split");
        }
        check(MPI_Comm_rank(comm.get(), &rank), "MPI_Comm_rank");
        check(MPI_Comm_size(comm.get(), &size), "MPI_Comm_size");
    }
};

/// Raises UsageError where items are to go by nodes, and these have not equally many consecutive ranks; the
/// last may have fewer.
int ranks_of_node(const World& world, const Parameters& parameters, const Node& node) {
    if (parameters.route != Route::node) {
        return world.size();
    }
    const int ranks = world.all(Fold::max, node.size);
    const std::vector<int> places = world.of_each(node.rank);
    for (int rank = 0; rank < world.size(); ++rank) {
        if (places[static_cast<std::size_t>(rank)] != rank % ranks) {
            throw UsageError("--route node needs nodes of equally many consecutive ranks; grid");
        }
    }
    return ranks;
}

#ifndef GOODSYARD_SIMULATED
/// Whether the hosts' file systems for shared memory, which are small in containers, have room for the rings
/// twice.
bool has_room_for_rings(const World& world, const Parameters& parameters, const Node& node) {
    struct statvfs shared{};
    const bool is_there = statvfs("/dev/shm", &shared) == 0;
    const double free_bytes =
        is_there ? static_cast<double>(shared.f_bavail) * static_cast<double>(shared.f_frsize) : 0;
    const double ring_bytes = static_cast<double>(SharedRing::bytes_of_rank(node.size, parameters)) *
                              static_cast<double>(world.ranks_of_host());
    return world.all(Fold::min, free_bytes - 2 * ring_bytes) >= 0;
}
#endif

} // namespace

std::unique_ptr<Transport> make_transport(const World& world, const Parameters& parameters, Place place) {
    compare_products(world, "a transport of " + text_of_common(parameters), place);
    Node node(world, parameters);
    const int by_node = ranks_of_node(world, parameters, node);
#ifndef GOODSYARD_SIMULATED
    const bool has_partners = world.size() == 1 || world.all(Fold::max, node.size) > 1;
    const bool takes_rings = parameters.transport == TransportKind::ring ||
                             (parameters.transport == TransportKind::standard && has_partners &&
                              has_room_for_rings(world, parameters, node));
    if (takes_rings && world.all(Fold::min, node.size) < world.size()) {
        return std::make_unique<RingWithinNode>(comm_of(world), std::move(node.comm), parameters, by_node);
    }
    if (takes_rings) {
        return std::make_unique<SharedRing>(std::move(node.comm), parameters,
                                            std::make_shared<BufferPool>(capacity_bytes(parameters)));
    }
#endif
    return std::make_unique<PointToPoint>(comm_of(world), parameters, by_node,
                                          std::make_shared<BufferPool>(capacity_bytes(parameters)));
}

} // namespace goodsyard::runtime
