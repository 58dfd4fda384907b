// The ranks of this process, for what stands for MPI where there is none.
#pragma once

#include "virtual/ranks.hpp"

namespace goodsyard::virtual_time {

/// While a program with ranks runs (virtual/entry.cpp), else null.
inline Ranks* machine = nullptr;

} // namespace goodsyard::virtual_time
