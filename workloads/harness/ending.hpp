// The end of a program that must not go on, where no exception can say so: in destructors, and at exit.
#pragma once

#include <exception>
#include <string>

namespace goodsyard {

/// Launchers drop what a rank has written if it ends before they have read it.
inline constexpr int time_to_forward_ms = 300;

/// Ends all ranks of this program, once, with `line` on stderr and exit code 1.
using Ending = void (*)(const std::string& line);

/// How programs end from here on; null: this process alone ends. A Session of MPI ends all ranks.
void set_ending(Ending ending);

/// Whether `end_program` has been called. For signal handlers too.
[[nodiscard]] bool is_ending();

/// End the program, all its ranks, with `line` on stderr and exit code 1. What is in stdout is written first.
[[noreturn]] void end_program(const std::string& line);

/// The same, with the name of the program and the rank before `text`.
[[noreturn]] void end_program(int rank, const std::string& text);

/// Which rank has raised an exception; negative where that is not known.
using RankOfException = int (*)(const std::exception_ptr& error);

/// From here on, an exception that nobody catches, or nobody can (of a destructor, of a loop of OpenMP, of a
/// thread), ends the program so, and names the rank.
void end_by_uncaught(RankOfException rank);
/// The same, unless the program says itself what is done with such exceptions.
void end_by_uncaught_by_default(RankOfException rank);

} // namespace goodsyard
