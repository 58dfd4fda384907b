// How the runner is asked to stop: SIGTERM, SIGINT or SIGHUP, at any moment, without a race.
#pragma once

#include <cstdint>

namespace steelyard {

/// Installs the handlers and gives every other signal its default. Ignored signals would be inherited by the
/// children through execve: Python, for one, ignores SIGPIPE.
void install_signal_handlers();

bool stop_requested();

/// Wakes this process with SIGALRM at `at_ns` of the monotonic clock (at once when it has passed) and every
/// 10 ms after that, because one signal can fall between a check and the system call that it should
/// interrupt.
void wake_at(std::int64_t at_ns);

void wake_never();

} // namespace steelyard
