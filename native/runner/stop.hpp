// How the runner is asked to stop: SIGTERM, SIGINT or SIGHUP, at any moment, without a race.
#pragma once

#include <cerrno>
#include <cstdint>

namespace steelyard {

/// Installs the handlers and gives every other signal its default. Ignored signals would be inherited by the
/// children through execve: Python, for one, ignores SIGPIPE.
void install_signal_handlers();

bool stop_requested();

/// Wakes this process with SIGALRM between two moments of the monotonic clock (at once when they have passed)
/// and every 10 ms after that, because one signal can fall between a check and the system call that it should
/// interrupt. An alarm that is set for such a moment already stays: of many short trials, few set one.
void wake_between(std::int64_t earliest_ns, std::int64_t latest_ns);

/// Takes the alarm back. It outlives the trial that it was set for, and interrupts what comes between trials.
void wake_never();

/// What `call` gives when no alarm interrupts it: it is repeated after EINTR, unless a stop is requested.
template <typename Call>
auto beyond_alarms(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR && !stop_requested()) {
        result = call();
    }
    return result;
}

} // namespace steelyard
