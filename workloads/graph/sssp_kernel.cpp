#include "agm/direction_sssp.hpp"
#include "agm/sssp.hpp"
#include "graph/tree_kernels.hpp"

namespace goodsyard::graph {

namespace {

float light_of(const Asked& request, const Csr& graph) {
    constexpr float of_largest = 32;
    return request.light > 0 ? static_cast<float>(request.light) : graph.largest_weight / of_largest;
}

} // namespace

std::unique_ptr<Kernel> make_sssp(const Place& place, const Asked& request) {
    const agm::Orders orders = orders_of(request, place.graph, agm::OrderKind::delta);
    if (request.optimises_direction) {
        const float light = light_of(request, place.graph);
        return std::make_unique<OwnTreeKernel<agm::DirectionSssp>>(place, false, orders, light);
    }
    return std::make_unique<MachineTreeKernel<agm::Sssp>>(
        place, orders, false, request.filters && agm::RemoteDistances::fit(place.team, place.graph));
}

} // namespace goodsyard::graph
