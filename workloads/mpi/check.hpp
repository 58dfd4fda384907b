// A failed MPI call as an exception that names the call.
#pragma once

#include <mpi.h>
#include <stdexcept>
#include <string>

namespace workloads {

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

} // namespace workloads
