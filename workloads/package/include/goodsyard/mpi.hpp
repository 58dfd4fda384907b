// Components mpi and virtual: ranks of MPI, or of one process in virtual time, the entry of programs with
// ranks, and transports.
#pragma once

#include "goodsyard/runtime.hpp"
#include "mpi/entry.hpp"
#include "runtime/make_transport.hpp"

#ifndef GOODSYARD_VIRTUAL
#include "goodsyard/mpi_library.hpp"
#include "mpi/check.hpp"
#if GOODSYARD_WITH_OPEN_MPI && !defined(OPEN_MPI) || !GOODSYARD_WITH_OPEN_MPI && defined(OPEN_MPI)
#error "this goodsyard was built for another MPI library than this program is"
#endif
#endif
