// What is counted over one trial beside its rusage: events of the kernel, energy, the trial's control group.
// Opened only when a launch asks for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "launch.hpp"
#include "record.hpp"
#include "trial_group.hpp"

namespace steelyard {

/// What a perf event gives: its count, and the times for which it was wanted and was counted.
struct EventReading {
    std::uint64_t value, enabled_ns, running_ns;
};

/// Events of the program are opened, disabled, on the runner itself: the child inherits them, its execve
/// enables the inherited ones, and what it and its children count is added to ours. They live for one trial
/// only, because every process started meanwhile inherits them. Energy and other events of the machine run
/// on; they are read before the clock starts and after it stopped.
class Counters {
  public:
    /// `launch` outlives it.
    explicit Counters(const Launch& launch);
    ~Counters();
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;

    /// In the unit of the metric. Events are scaled by time enabled over time running where the kernel had to
    /// share the hardware between them. Not available where the kernel refused or never counted.
    void read(CounterValue* values, const TrialGroup& group) const;

  private:
    [[nodiscard]] CounterValue read_one(std::size_t at, const TrialGroup& group) const;

    const CounterRequest* requests_;
    std::size_t count_;
    int fds_[LaunchLimits::counters];
    EventReading before_[LaunchLimits::counters];
    bool has_before_[LaunchLimits::counters];
};

/// The count between two readings of an event, scaled to the time for which it was wanted; not available
/// where the kernel never counted meanwhile.
CounterValue count_between(const EventReading& before, const EventReading& after);

/// What was counted between two readings of a counter that begins anew after `range`, at most once between
/// them.
std::uint64_t count_since(std::uint64_t before, std::uint64_t after, std::uint64_t range);

} // namespace steelyard
