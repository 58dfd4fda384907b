#include "collectives/litmus.hpp"

#include "mpi/check.hpp"

namespace goodsyard {

namespace {
constexpr int tree_tag = 73;
}

void broadcast_along_tree(double* data, int count, const TreePart& part, const World& world) {
    if (part.parent >= 0) {
        check(MPI_Recv(data, count, MPI_DOUBLE, part.parent, tree_tag, comm_of(world), MPI_STATUS_IGNORE),
              "MPI_Recv");
    }
    for (const int child : part.children) {
        check(MPI_Send(data, count, MPI_DOUBLE, child, tree_tag, comm_of(world)), "MPI_Send");
    }
}

} // namespace goodsyard
