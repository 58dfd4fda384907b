#include "ping/ping.hpp"
#include "runtime/left_out.hpp"

namespace goodsyard::ping {

std::unique_ptr<Operation> make_plain(const MpiContext& context, const Asked& /*asked*/) {
    return runtime::left_out(context.settings, "mpi", "a build with MPI");
}

} // namespace goodsyard::ping
