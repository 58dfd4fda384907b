// A control group (cgroup v2) around one trial: what its processes and all their children used, waited for or
// not.
#pragma once

#include <cstdint>

#include "launch.hpp"
#include "record.hpp"

namespace steelyard {

/// A directory of cgroupfs that lives for one trial. The program is cloned into it (CLONE_INTO_CGROUP), so
/// that no process is moved while the clock runs and nothing of the runner is charged to it.
class TrialGroup {
  public:
    TrialGroup() = default;
    ~TrialGroup() { remove(); }
    TrialGroup(const TrialGroup&) = delete;
    TrialGroup& operator=(const TrialGroup&) = delete;

    /// Makes the directory that the limits or counters of a launch name, and sets its limit of memory; takes
    /// over an empty one that was left there. Without these, or where the kernel refuses, there is none.
    void create(const Launch& launch);

    /// To clone into; -1: there is no group.
    [[nodiscard]] int fd() const { return fd_; }

    /// Why there is no group, or it has no limit: errno; 0 where nothing is missing.
    [[nodiscard]] int error() const { return error_; }

    /// The limit of the launch that its processes have exceeded, by what the kernel has counted;
    /// `Step::group` where it does not say.
    [[nodiscard]] Step find_exceeded(const Launch& launch) const;

    /// CPU time of user and system in microseconds, the `usage_usec` of cpu.stat. False: not available.
    bool read_cpu_us(std::uint64_t& value) const;
    /// The largest memory that was charged at one time, memory.peak. False: not available.
    bool read_peak_bytes(std::uint64_t& value) const;

    /// Removes the directory, in which no process may live any more.
    void remove();

  private:
    [[nodiscard]] int limit_memory(std::uint64_t bytes) const;

    const char* path_ = nullptr; ///< of the launch, which lives until the trial is over
    int fd_ = -1;
    int error_ = 0;
};

} // namespace steelyard
