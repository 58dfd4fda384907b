// MPI from the first line of a program to its last.
#pragma once

#include <mpi.h>

#include "mpi/check.hpp"

namespace workloads {

/// Initialises MPI and finalises it. After an error the caller aborts: other ranks may never come to the end.
class Session {
  public:
    Session(int& argc, char**& argv) {
        check(MPI_Init(&argc, &argv), "MPI_Init");
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    ~Session() { MPI_Finalize(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

/// The communicator of all ranks, with this rank's place in it.
class World {
  public:
    World() {
        check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
        check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool is_root() const { return rank_ == 0; }
    [[nodiscard]] MPI_Comm handle() const { return MPI_COMM_WORLD; }

  private:
    int rank_ = 0;
    int size_ = 1;
};

} // namespace workloads
