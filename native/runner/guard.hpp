// The guard stands above the runner and does nothing but wait: for Python's end, for the runner's, or for a
// signal. Whatever happens, it leaves no process behind.
#pragma once

namespace steelyard {

/// Forks the runner, waits, ends what is left, puts back what was changed on the host, and returns the exit
/// code: the runner's, or 128 + signal.
int stand_guard(const char* journal_path, const char* undo_path);

} // namespace steelyard
