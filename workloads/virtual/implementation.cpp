#include "mpi/implementation.hpp"

namespace workloads {

std::string implementation() {
    return "virtual";
}

} // namespace workloads
