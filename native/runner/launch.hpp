// One way to start a program: everything the child sees. Decoded from the frame that Python sends; README.md
// here has the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <sched.h>

namespace steelyard {

enum class Output : std::uint8_t { capture = 0, null = 1, file = 2 };

/// What a counter is read from.
enum class CounterSource : std::uint32_t {
    process = 0,      ///< a perf event of the program and its children
    process_user = 1, ///< the same in user mode only
    machine = 2,      ///< a perf event of all that runs, opened on one CPU
    energy_file = 3,  ///< a file of powercap, whose count begins anew after `config`
    group_cpu = 4,    ///< cpu.stat of the control group that `path` is made as
    group_memory = 5, ///< memory.peak of the same
};

/// Something to be counted over a trial.
struct CounterRequest {
    const char* name;
    std::uint32_t name_length;
    CounterSource source;
    std::uint32_t type; ///< with the configs, as perf_event_attr has them
    std::uint32_t cpu;  ///< of an event of the machine
    std::uint64_t config;
    std::uint64_t config1;
    std::uint64_t config2;
    double scale;     ///< what one of the count is in the unit of the metric
    const char* path; ///< empty: none
};

/// A file of the host, as in /sys, and the line that it is to hold while the launch runs.
struct HostSetting {
    char* path;
    char* value;
};

struct LaunchLimits {
    static constexpr std::size_t hooks = 16;
    static constexpr std::size_t host_settings = 64;
    static constexpr std::size_t counters = 16;
    static constexpr std::size_t files = 64;
    /// As many as the C library's cpu_set_t holds.
    static constexpr std::size_t cpus = CPU_SETSIZE;
};

inline constexpr std::uint16_t unlimited_stack = 0xFFFF;

/// Texts and pointer arrays point into the frame it was decoded from.
struct Launch {
    std::uint64_t timeout_ns;          ///< 0: no limit
    std::uint64_t capture_limit_bytes; ///< what is kept of each captured stream
    std::int32_t nice;
    bool has_nice;
    bool aslr_off;
    bool has_affinity;
    bool huge_pages_off;
    std::uint16_t stack_mib; ///< limit of its stack; 0: that of the runner; unlimited_stack: none
    bool wants_queue_wait;   ///< however short the program is
    bool wants_digests;      ///< of both streams, and of `files`
    std::int32_t policy;     ///< of the scheduler; negative: as it is
    std::int32_t realtime_priority;
    cpu_set_t affinity;
    Output stdout_mode;
    Output stderr_mode;
    char* path; ///< what execve gets, absolute
    char* cwd;
    char* cwd_source; ///< the directory that is shown under the name `cwd`; empty: `cwd` itself
    char* stdin_path;
    char* stdout_path;  ///< empty unless the mode is file
    char* stderr_path;  ///< empty unless the mode is file
    char* metrics_path; ///< empty: none
    char** argv;
    char** env;
    std::uint32_t argv_bytes; ///< what path and arguments take on the new stack: texts with NUL, and pointers
    std::uint32_t env_bytes;  ///< the same of the environment
    std::uint64_t cpu_limit_ns;       ///< for all processes of a trial together; 0: no limit
    std::uint64_t memory_limit_bytes; ///< the same
    bool network_off;                 ///< it has a network of its own, without devices
    char* group_path;                 ///< what the control group is made as, where there is a limit
    char* root_path;    ///< where its own file system is mounted, an empty directory; empty: the host's
    char* trial_digits; ///< where the environment holds the trial number; null when it does not
    std::uint32_t prepare_count;
    std::uint32_t cleanup_count;
    std::uint32_t counter_count;
    std::uint32_t host_count;
    std::uint32_t file_count;
    std::uint32_t prepare[LaunchLimits::hooks];
    std::uint32_t cleanup[LaunchLimits::hooks];
    CounterRequest counters[LaunchLimits::counters];
    HostSetting host[LaunchLimits::host_settings];
    char* files[LaunchLimits::files]; ///< that the program is to write
};

constexpr bool has_limits(const Launch& launch) {
    return launch.cpu_limit_ns != 0 || launch.memory_limit_bytes != 0;
}

inline constexpr std::size_t trial_digit_count = 12;

/// Bytes that `decode_launch` needs for the pointer arrays of a frame of this size, in which every text takes
/// five at least, and for what may be inherited.
constexpr std::size_t pointer_space(std::size_t frame_size, std::size_t inherited) {
    return (frame_size / 5 + inherited + 3) * sizeof(char*);
}

/// Null, or what is wrong with the frame. `inherited` is what a launch gets that asks for the runner's own
/// environment; `pointers` is aligned memory of `pointer_space` bytes for argv and env.
const char* decode_launch(std::span<char> frame, std::span<char* const> inherited, std::span<char> pointers,
                          Launch& launch);

} // namespace steelyard
