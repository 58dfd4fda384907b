#include "runtime/task_trace.hpp"

namespace goodsyard::runtime {

std::vector<std::uint64_t> active_of_all(const Team& team, const TaskTrace& trace) {
    std::vector<std::uint64_t> local = trace.samples();
    local.resize(team.all(Fold::max, static_cast<std::uint64_t>(local.size())));
    std::vector<std::uint64_t> all;
    team.to_root(Fold::sum, local, all);
    return all;
}

} // namespace goodsyard::runtime
