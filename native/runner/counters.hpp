// Kernel performance events over one trial, opened only when a launch asks for them.
#pragma once

#include <cstddef>

#include "launch.hpp"
#include "record.hpp"

namespace steelyard {

/// The events are opened, disabled, on the runner itself: the child inherits them, its execve enables the
/// inherited ones, and what it and its children count is added to ours. They live for one trial only, because
/// every process started meanwhile inherits them.
class Counters {
  public:
    explicit Counters(const Launch& launch);
    ~Counters();
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;

    /// Scaled by time enabled over time running where the kernel had to share the hardware between events.
    /// Not available where the kernel refused the event or never ran it.
    void read(CounterValue* values) const;

  private:
    std::size_t count_;
    int fds_[LaunchLimits::counters];
};

} // namespace steelyard
