// What /proc tells about a process that has ended and is not reaped yet, and nothing else does.
#pragma once

#include <cstdint>
#include <string_view>
#include <sys/types.h>

namespace steelyard {

/// Second field of a schedstat: nanoseconds on a run queue. `no_queue_wait` when there is none.
std::uint64_t parse_queue_wait_ns(std::string_view schedstat);

/// Field 39 of a stat: the CPU that it last ran on, -1 when there is none. The name, field 2, may hold blanks
/// and parentheses.
std::int32_t parse_last_cpu(std::string_view stat);

/// Field 3 of a stat: the state, as a letter; NUL where there is none.
char parse_state(std::string_view stat);

char read_state(pid_t pid);

/// Of the main thread.
std::uint64_t read_queue_wait_ns(pid_t pid);

std::int32_t read_last_cpu(pid_t pid);

} // namespace steelyard
