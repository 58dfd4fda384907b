#include "agm/direction_sssp.hpp"
#include "agm/sssp.hpp"
#include "graph/tree_kernels.hpp"

namespace goodsyard::graph {

namespace {

float light_of(const Asked& asked, const Csr& graph) {
    constexpr float of_largest = 32;
    return asked.light > 0 ? static_cast<float>(asked.light) : graph.largest_weight / of_largest;
}

} // namespace

std::unique_ptr<Kernel> make_sssp(const Place& place, const Asked& asked) {
    const agm::Orders orders = orders_of(asked, place.graph, agm::OrderKind::delta);
    if (asked.optimises_direction) {
        const float light = light_of(asked, place.graph);
        return std::make_unique<OwnTreeKernel<agm::DirectionSssp>>(place, false, orders, light);
    }
    return std::make_unique<MachineTreeKernel<agm::Sssp>>(
        place, orders, false, asked.filters && agm::RemoteDistances::fit(place.team, place.graph));
}

} // namespace goodsyard::graph
