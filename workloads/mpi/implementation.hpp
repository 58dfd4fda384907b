// Which MPI library this is.
#pragma once

#include <string>

namespace goodsyard {

/// `openmpi`, `mpich`, `impi` or `smpi`; otherwise the first word of what the library says.
std::string implementation();

} // namespace goodsyard
