#include "collectives/litmus.hpp"

#include <bit>

#include "mpi/check.hpp"

namespace workloads {

namespace {
constexpr int tree_tag = 73;
}

void broadcast_along_binomial_tree(double* data, int count, const World& world) {
    const auto rank = static_cast<unsigned>(world.rank());
    const unsigned highest = std::bit_floor(rank);
    if (rank != 0) {
        check(MPI_Recv(data, count, MPI_DOUBLE, static_cast<int>(rank - highest), tree_tag, world.handle(),
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
    }
    for (unsigned bit = rank == 0 ? 1 : highest * 2; rank + bit < static_cast<unsigned>(world.size());
         bit *= 2) {
        check(MPI_Send(data, count, MPI_DOUBLE, static_cast<int>(rank + bit), tree_tag, world.handle()),
              "MPI_Send");
    }
}

} // namespace workloads
