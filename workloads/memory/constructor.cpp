#include "memory/constructor.hpp"

#include <stdexcept>

#include "mpi/check.hpp"

namespace goodsyard {

namespace {

constexpr int dimensions = 3;

OwnedComm create(const World& world) {
    // The group of all: the largest, which is what its table is expected to grow with.
    OwnedGroup all;
    check(MPI_Comm_group(comm_of(world), all.out()), "MPI_Comm_group");
    OwnedComm created;
    check(MPI_Comm_create(comm_of(world), all.get(), created.out()), "MPI_Comm_create");
    return created;
}

OwnedComm create_cartesian(const World& world) {
    int sizes[dimensions] = {0, 0, 0};
    const int periodic[dimensions] = {1, 1, 1};
    check(MPI_Dims_create(world.size(), dimensions, sizes), "MPI_Dims_create");
    OwnedComm created;
    constexpr int reorder = 1;
    check(MPI_Cart_create(comm_of(world), dimensions, sizes, periodic, reorder, created.out()),
          "MPI_Cart_create");
    return created;
}

OwnedWindow create_window(const World& world, double& shared) {
    OwnedWindow created;
    check(MPI_Win_create(&shared, sizeof shared, sizeof shared, MPI_INFO_NULL, comm_of(world), created.out()),
          "MPI_Win_create");
    return created;
}

} // namespace

Constructed construct(Constructor subject, const World& world, double& shared) {
    switch (subject) {
    case Constructor::comm_create:
        return create(world);
    case Constructor::comm_dup:
        return duplicate(comm_of(world));
    case Constructor::win_create:
        return create_window(world, shared);
    case Constructor::cart_create:
        return create_cartesian(world);
    }
    throw std::invalid_argument("no such constructor");
}

} // namespace goodsyard
