// Waiting for a child's end. The observer sleeps; it is woken only for the time limit, for a request to stop,
// and to look at the size of captured output.
#pragma once

#include <cstdint>
#include <sys/types.h>

#include "capture.hpp"
#include "launch.hpp"
#include "trial_group.hpp"
#include "wakeups.hpp"

namespace steelyard {

class ChildWait {
  public:
    /// Arms the timer, before the clock is read for the measurement. A request to stop leaves the child this
    /// long; with 0 it ends it. `group` has its processes where the launch has a limit of CPU time.
    ChildWait(const Launch& launch, Captures& captures, const TrialGroup& group,
              std::int64_t stop_patience_ns, std::int64_t now_ns);
    ChildWait(const ChildWait&) = delete;
    ChildWait& operator=(const ChildWait&) = delete;

    /// The moment of the child's end, which is not reaped yet.
    std::int64_t sleep_until_end(pid_t child);

    [[nodiscard]] bool timed_out() const { return timed_out_; }
    /// Whether a process of the child was stopped by a signal when it timed out.
    [[nodiscard]] bool found_stopped() const { return found_stopped_; }
    [[nodiscard]] bool stopped() const { return stopped_; }

  private:
    void arm() const;
    void look(pid_t child, std::int64_t now_ns);
    void look_at_limit(pid_t child, std::int64_t now_ns);
    [[nodiscard]] std::int64_t earliest_excess_ns(std::int64_t now_ns) const;
    void heed_stop(pid_t child, std::int64_t now_ns);
    void ask_to_end(pid_t child, std::int64_t now_ns);
    std::uint64_t trim();

    const Launch& launch_;
    Captures& captures_;
    const TrialGroup& group_;
    std::int64_t stop_patience_ns_;
    bool stopped_ = false;
    bool timed_out_ = false;
    bool found_stopped_ = false;
    std::int64_t deadline_ns_;
    std::int64_t kill_ns_ = never_ns;
    std::int64_t limit_ns_ = never_ns; ///< when its CPU time is looked at next
    TrimRhythm rhythm_;
};

} // namespace steelyard
