// For calls of MPI: the communicator of all ranks, and failures as exceptions that name the call.
#pragma once

#include <mpi.h>
#include <stdexcept>
#include <string>

#include "mpi/session.hpp"

namespace goodsyard {

struct Communicator {
    Communicator(MPI_Comm comm) : handle(comm) {} // NOLINT(google-explicit-constructor): as MPI takes it.
    MPI_Comm handle;
};

/// Its errors are returned.
inline MPI_Comm comm_of(const World& world) {
    return world.communicator().handle;
}

/// Raises std::runtime_error unless `code` is MPI_SUCCESS; `call` is what was called.
inline void check(int code, const char* call) {
    if (code == MPI_SUCCESS) {
        return;
    }
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
        throw std::runtime_error(std::string(call) + ": error " + std::to_string(code));
    }
    throw std::runtime_error(std::string(call) + ": " + text);
}

} // namespace goodsyard
