// When the sleeping observer must be woken during a trial: never, unless a time limit, a stop or growing
// output asks for it. Pure arithmetic on nanoseconds of the monotonic clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "clock.hpp"

namespace steelyard {

inline constexpr std::int64_t never_ns = std::numeric_limits<std::int64_t>::max();

struct WakeupConfig {
    /// A program that was asked to end (SIGTERM) has this long before SIGKILL.
    std::int64_t grace_ns = 200 * ns_per_ms;
    /// Looks at CPU time that has a limit are no closer than this.
    std::int64_t limit_ns = 10 * ns_per_ms;
    /// First look at the size of captured output. Programs shorter than this are never disturbed.
    std::int64_t first_trim_ns = 50 * ns_per_ms;
    /// The first look may be so much later, so that one alarm serves all trials that begin meanwhile.
    std::int64_t first_slack_ns = 25 * ns_per_ms;
    /// Looks become rarer up to this while little is written.
    std::int64_t slowest_trim_ns = 200 * ns_per_ms;
    /// Looks become more frequent down to this while much is written, which bounds the memory held: a program
    /// that writes 4 GB/s has written 8 MB in between.
    std::int64_t fastest_trim_ns = 2 * ns_per_ms;
    /// What "much" is, between two looks.
    std::uint64_t much_bytes = 4U << 20U;
};
static_assert(WakeupConfig{}.fastest_trim_ns < WakeupConfig{}.first_trim_ns &&
              WakeupConfig{}.first_trim_ns <= WakeupConfig{}.slowest_trim_ns);

/// The moment `limit_ns` after `now_ns`; never when there is no limit (0) or it lies beyond the clock's
/// range.
inline std::int64_t deadline_after(std::int64_t now_ns, std::uint64_t limit_ns) {
    if (limit_ns == 0 || limit_ns >= static_cast<std::uint64_t>(never_ns - now_ns)) {
        return never_ns;
    }
    return now_ns + static_cast<std::int64_t>(limit_ns);
}

/// The rhythm of looks at captured output.
class TrimRhythm {
  public:
    TrimRhythm(std::int64_t start_ns, bool capturing, const WakeupConfig& config = {})
        : config_(config), step_ns_(config.first_trim_ns), slack_ns_(config.first_slack_ns),
          next_ns_(capturing ? start_ns + config.first_trim_ns : never_ns) {}

    [[nodiscard]] std::int64_t next_ns() const { return next_ns_; }

    /// The next look is not later than this.
    [[nodiscard]] std::int64_t latest_ns() const {
        return next_ns_ == never_ns ? never_ns : next_ns_ + slack_ns_;
    }

    /// A look at `now_ns` found that `total_bytes` have been written since the start.
    void looked(std::int64_t now_ns, std::uint64_t total_bytes) {
        const std::uint64_t grown = total_bytes - std::min(total_bytes, seen_bytes_);
        seen_bytes_ = total_bytes;
        step_ns_ = grown > config_.much_bytes ? step_ns_ / 8 : step_ns_ + step_ns_ / 2;
        step_ns_ = std::clamp(step_ns_, config_.fastest_trim_ns, config_.slowest_trim_ns);
        next_ns_ = now_ns + step_ns_;
        slack_ns_ = 0;
    }

  private:
    WakeupConfig config_;
    std::int64_t step_ns_;
    std::int64_t slack_ns_;
    std::int64_t next_ns_;
    std::uint64_t seen_bytes_ = 0;
};

} // namespace steelyard
