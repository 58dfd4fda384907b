// The entry for families without MPI: serial programs, and those with threads of their own (OpenMP).
#pragma once

#include "harness/family.hpp"

namespace goodsyard {

/// Measure what the command line asks for, in this process. Returns the exit code. Every line has the label
/// `p` = 1; a family with threads adds theirs.
int run(int argc, const char* const* argv, Family<Context> family);

} // namespace goodsyard
