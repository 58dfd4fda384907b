// The two clocks: one to measure with, one to say when.
#pragma once

#include <cstdint>
#include <ctime>

namespace steelyard {

inline constexpr std::int64_t ns_per_s = 1'000'000'000;
inline constexpr std::int64_t ns_per_ms = 1'000'000;

inline std::int64_t read_clock_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::int64_t>(now.tv_sec) * ns_per_s + now.tv_nsec;
}

/// Nanoseconds of CLOCK_MONOTONIC: never set back, read without a system call.
inline std::int64_t monotonic_ns() {
    return read_clock_ns(CLOCK_MONOTONIC);
}

/// Nanoseconds since 1970 (CLOCK_REALTIME), for the record's time stamps only.
inline std::int64_t realtime_ns() {
    return read_clock_ns(CLOCK_REALTIME);
}

} // namespace steelyard
