#include "agm/bfs.hpp"
#include "agm/direction_bfs.hpp"
#include "agm/task_bfs.hpp"
#include "graph/tree_kernels.hpp"

namespace goodsyard::graph {

static_assert(largest_batch == agm::TaskBfs::most_in_batch);

std::unique_ptr<Kernel> make_bfs(const Place& place, const Asked& request) {
    if (request.optimises_direction) {
        return std::make_unique<OwnTreeKernel<agm::DirectionBfs>>(place, true);
    }
    if (request.blocks) {
        const std::uint64_t of_loop = std::min<std::uint64_t>(request.runtime.loop_threshold, largest_batch);
        const std::size_t claims = request.batch > 0 ? static_cast<std::size_t>(request.batch) : of_loop;
        return std::make_unique<OwnTreeKernel<agm::TaskBfs>>(place, true, claims);
    }
    const agm::Orders orders = orders_of(request, place.graph, agm::OrderKind::level);
    const bool by_level = orders.global.kind() == agm::OrderKind::level;
    return std::make_unique<MachineTreeKernel<agm::Bfs>>(place, orders, true, by_level);
}

} // namespace goodsyard::graph
