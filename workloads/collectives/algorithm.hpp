// Which algorithm the library uses for an operation, where it can be asked.
#pragma once

#include <string>

namespace goodsyard {

/// The name that the library has for the algorithm of `op` (`bcast`, `reduce`, …); `auto` where it decides by
/// size and ranks, `unknown` where it cannot be asked.
///
/// Open MPI and MPICH are asked through MPI_T (MPI 4.0, chapter 15), Intel MPI by I_MPI_ADJUST_*, SimGrid by
/// its configuration.
std::string algorithm_of(const std::string& op);

} // namespace goodsyard
