#include "mpi/implementation.hpp"

namespace goodsyard {

std::string implementation() {
    return "virtual";
}

} // namespace goodsyard
