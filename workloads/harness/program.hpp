// A program from the command line to its exit code.
#pragma once

#include <functional>
#include <string>

#include "harness/options.hpp"
#include "harness/team.hpp"

namespace goodsyard {

/// `Place` is Alone, or World (mpi/entry.hpp).
template <class Place>
struct Program {
    std::string name;
    std::string description;
    /// Declares the options.
    std::function<void(Options&)> declare;
    /// The program itself, on every rank, when the options are known to all.
    std::function<void(const Place&)> body;
};

/// Parse the options and run; say what went wrong in one line on stderr. Returns the exit code: 0, 1 where
/// the program failed, 2 where the command line asks for something else than the program has.
int run(int argc, const char* const* argv, const Program<Alone>& program);

} // namespace goodsyard
