// What is known about one trial: the fixed part of a journal frame. README.md here has the layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include "launch.hpp"

namespace steelyard {

enum class Status : std::uint8_t {
    ok = 0,
    timed_out = 1,
    spawn_failed = 2,
    setup_failed = 3,
    hook_failed = 4
};

/// What was being done when a start failed.
enum class Step : std::uint8_t {
    none = 0,
    cwd = 1,
    stdin_file = 2,
    stdout_file = 3,
    stderr_file = 4,
    metrics_file = 5,
    aslr = 6,
    affinity = 7,
    nice = 8,
    clone = 9,
    exec = 10,
    mount = 11,
    scheduling = 12,
    huge_pages = 13,
    host = 14,
    stack_limit = 15,
    stopped = 16,   ///< no failed start: of a run that timed out, in which a process was stopped by a signal
    group = 17,     ///< a control group, for limits
    network = 18,   ///< a network of its own
    root = 19,      ///< a file system of its own
    cpu_limit = 20, ///< no failed start: a run that was ended, or had used more, ...
    memory_limit = 21, ///< ... and one of which the kernel ended a process
};

inline constexpr std::uint32_t no_hook = 0xFFFFFFFF;
inline constexpr std::uint64_t no_queue_wait = ~std::uint64_t{0};

/// Written as it is; every value lies on its natural boundary.
struct Record {
    std::uint64_t trial = 0;
    std::uint32_t launch = 0;
    Status status = Status::ok;
    Step step = Step::none;
    Status hook_status = Status::ok; ///< how the hook ended, when `hook` is one
    std::uint8_t digest_count = 0;   ///< behind everything else: stdout, stderr, then files
    std::uint32_t hook =
        no_hook; ///< the launch of the hook that failed; then all that follows is about the hook
    std::uint32_t left_processes = 0;
    std::int64_t start_ns = 0;
    std::uint64_t wall_ns = 0;
    std::uint64_t user_us = 0;
    std::uint64_t sys_us = 0;
    std::uint64_t rss_bytes = 0;
    std::uint64_t rss_floor_bytes = 0; ///< the runner's own peak: a child's cannot be reported lower
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
    std::uint64_t queue_wait_ns = no_queue_wait;
    std::int32_t exit_code = -1; ///< -1: did not exit
    std::int32_t signal = 0;     ///< 0: not ended by a signal
    std::int32_t error = 0;      ///< errno of a failed step
    std::int32_t cpu = -1;       ///< -1: not known
    std::uint32_t argv_bytes = 0;
    std::uint32_t env_bytes = 0;
    std::uint64_t stdout_bytes = 0; ///< written by the program
    std::uint64_t stderr_bytes = 0;
    std::uint64_t metrics_bytes = 0;
    std::uint32_t stdout_kept = 0; ///< stored in the frame
    std::uint32_t stderr_kept = 0;
    std::uint32_t metrics_kept = 0;
    std::uint32_t counter_count = 0;
};
static_assert(sizeof(Record) == 176 && offsetof(Record, start_ns) == 24 &&
              offsetof(Record, stdout_bytes) == 136);

/// The value of a counter over one trial.
struct CounterValue {
    double value;
    bool available;
};

} // namespace steelyard
