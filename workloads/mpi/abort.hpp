// The end of all ranks because of one.
#pragma once

#include <mpi.h>
#include <unistd.h>

namespace workloads {

/// End every rank with exit code 1: the others may wait for this one for ever.
[[noreturn]] inline void abort_all() {
#ifndef WORKLOADS_SIMULATED
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
    // All simulated ranks are one process, whose MPI_Abort ends it with exit code 0.
    _exit(1);
}

} // namespace workloads
