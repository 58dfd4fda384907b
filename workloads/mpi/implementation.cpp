#include "mpi/implementation.hpp"

#include <mpi.h>

#include "mpi/check.hpp"

namespace goodsyard {

std::string implementation() {
#ifdef GOODSYARD_SIMULATED
    return "smpi";
#else
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
    const std::string message(text);
    if (message.starts_with("Open MPI")) {
        return "openmpi";
    }
    if (message.starts_with("MPICH")) {
        return "mpich";
    }
    if (message.starts_with("Intel")) {
        return "impi";
    }
    return message.substr(0, message.find_first_of(" \t\n,"));
#endif
}

} // namespace goodsyard
