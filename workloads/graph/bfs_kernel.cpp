#include "agm/bfs.hpp"
#include "agm/direction_bfs.hpp"
#include "agm/task_bfs.hpp"
#include "graph/tree_kernels.hpp"

namespace goodsyard::graph {

std::unique_ptr<Kernel> make_bfs(const Place& place, const Asked& request) {
    if (request.optimises_direction) {
        return std::make_unique<OwnTreeKernel<agm::DirectionBfs>>(place, true);
    }
    if (request.blocks) {
        return std::make_unique<OwnTreeKernel<agm::TaskBfs>>(place, true);
    }
    const agm::Orders orders = orders_of(request, place.graph, agm::OrderKind::level);
    const bool by_level = orders.global.kind() == agm::OrderKind::level;
    return std::make_unique<MachineTreeKernel<agm::Bfs>>(place, orders, true, by_level);
}

} // namespace goodsyard::graph
