#include "runtime/make_transport.hpp"

#include "harness/failure.hpp"
#include "runtime/point_to_point.hpp"
#ifndef WORKLOADS_SIMULATED
#include "runtime/shared_ring.hpp"
#endif

namespace workloads::runtime {

std::unique_ptr<Transport> make_transport(const World& world, const Parameters& parameters) {
#ifndef WORKLOADS_SIMULATED
    if (parameters.transport == TransportKind::ring) {
        if (world.all(Fold::min, world.ranks_of_host()) < world.size()) {
            throw UsageError("--transport ring needs all ranks on one node; point-to-point");
        }
        return std::make_unique<SharedRing>(comm_of(world), parameters);
    }
#endif
    return std::make_unique<PointToPoint>(comm_of(world), parameters);
}

} // namespace workloads::runtime
