#include "memory/constructor.hpp"

#include <stdexcept>

#include "mpi/check.hpp"

namespace workloads {

namespace {

constexpr int dimensions = 3;

OwnedComm create(const World& world) {
    MPI_Group group = MPI_GROUP_NULL;
    check(MPI_Comm_group(world.handle(), &group), "MPI_Comm_group");
    // The group of all: the largest, which is what its table is expected to grow with.
    const OwnedGroup all(group, MPI_GROUP_NULL);
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_create(world.handle(), all.get(), &made), "MPI_Comm_create");
    return {made, MPI_COMM_NULL};
}

OwnedComm duplicate(const World& world) {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_dup(world.handle(), &made), "MPI_Comm_dup");
    return {made, MPI_COMM_NULL};
}

OwnedComm create_cartesian(const World& world) {
    int sizes[dimensions] = {0, 0, 0};
    const int periodic[dimensions] = {1, 1, 1};
    check(MPI_Dims_create(world.size(), dimensions, sizes), "MPI_Dims_create");
    MPI_Comm made = MPI_COMM_NULL;
    constexpr int reorder = 1;
    check(MPI_Cart_create(world.handle(), dimensions, sizes, periodic, reorder, &made), "MPI_Cart_create");
    return {made, MPI_COMM_NULL};
}

OwnedWindow create_window(const World& world, double& shared) {
    MPI_Win made = MPI_WIN_NULL;
    check(MPI_Win_create(&shared, sizeof shared, sizeof shared, MPI_INFO_NULL, world.handle(), &made),
          "MPI_Win_create");
    return {made, MPI_WIN_NULL};
}

} // namespace

Constructed construct(Constructor what, const World& world, double& shared) {
    switch (what) {
    case Constructor::comm_create:
        return create(world);
    case Constructor::comm_dup:
        return duplicate(world);
    case Constructor::win_create:
        return create_window(world, shared);
    case Constructor::cart_create:
        return create_cartesian(world);
    }
    throw std::invalid_argument("no such constructor");
}

} // namespace workloads
