// Component mpi: ranks of MPI, the entry of programs with ranks, and transports.
#pragma once

#include "goodsyard/runtime.hpp"
#include "mpi/check.hpp"
#include "mpi/entry.hpp"
#include "runtime/make_transport.hpp"

#if GOODSYARD_WITH_OPEN_MPI && !defined(OPEN_MPI) || !GOODSYARD_WITH_OPEN_MPI && defined(OPEN_MPI)
#error "this goodsyard was built for another MPI library than this program is"
#endif
