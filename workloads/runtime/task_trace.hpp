// How many tasks of a rank were active over time.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/team.hpp"

namespace goodsyard::runtime {

class TaskTrace {
  public:
    /// Samples are `interval_s` apart; 0: none are taken.
    TaskTrace(double interval_s, double now_s) : interval_s_(interval_s), began_s_(now_s) {}

    [[nodiscard]] bool is_on() const { return interval_s_ > 0; }
    /// Forget all samples; the next is the first.
    void restart(double now_s) {
        samples_.clear();
        began_s_ = now_s;
    }
    /// So many are active from now on. Samples that have become due meanwhile have the value before; where
    /// there was none, this one.
    void sample(double now_s, std::uint64_t active) {
        const std::uint64_t before = samples_.empty() ? active : last_;
        while (samples_.size() < most &&
               now_s >= began_s_ + interval_s_ * static_cast<double>(samples_.size())) {
            samples_.push_back(before);
        }
        last_ = active;
    }
    /// Of this rank, the i-th after i intervals.
    [[nodiscard]] const std::vector<std::uint64_t>& samples() const { return samples_; }

  private:
    static constexpr std::size_t most = std::size_t{1} << 20U;

    double interval_s_;
    double began_s_;
    std::uint64_t last_ = 0;
    std::vector<std::uint64_t> samples_;
};

/// The samples of all ranks added up, on the root; a rank that has fewer has none active. Collective.
[[nodiscard]] std::vector<std::uint64_t> active_of_all(const Team& team, const TaskTrace& trace);

} // namespace goodsyard::runtime
