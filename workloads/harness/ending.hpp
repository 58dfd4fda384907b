// The end of a program that must not go on, where no exception can say so: in destructors, and at exit.
#pragma once

#include <string>

namespace goodsyard {

/// Ends all ranks of this program, once, with `line` on stderr and exit code 1.
using Ending = void (*)(const std::string& line);

/// How programs end from here on; null: this process alone ends. A Session of MPI ends all ranks.
void set_ending(Ending ending);

/// End the program, all its ranks, with `line` on stderr and exit code 1. What is in stdout is written first.
[[noreturn]] void end_program(const std::string& line);

/// The same, with the name of the program and the rank before `text`.
[[noreturn]] void end_program(int rank, const std::string& text);

} // namespace goodsyard
