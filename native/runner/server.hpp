// The runner proper: takes orders, runs batches, answers once for each.
#pragma once

namespace steelyard {

struct ExitCode {
    static constexpr int done = 0;
    static constexpr int bad_orders = 2;
    static constexpr int cannot_start = 4;
    static constexpr int cannot_end = 5; ///< processes of a trial that could not be ended
    static constexpr int stopped = 143;  ///< as a shell reports a program that SIGTERM ended
};

/// Serves until the orders end or a stop is requested, and returns the exit code. Descriptors 0, 1 and 2
/// become the children's: orders and replies are moved away from 0 and 1 first.
int serve(const char* journal_path, const char* undo_path, volatile bool* leaving);

} // namespace steelyard
