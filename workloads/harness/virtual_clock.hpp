// The clock of a rank in virtual time: it stands while the rank computes, and goes on by what is charged.
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/random.hpp"

namespace goodsyard {

/// A positive number of mean 1, exponentially distributed.
inline double exponential(const Random& random, std::uint64_t index) {
    return -std::log1p(-random.unit(index));
}

/// How much longer work takes than it would on a quiet machine.
struct WorkNoise {
    double of_rank = 0;  ///< Mean share, drawn once for a rank.
    double of_piece = 0; ///< Mean share, drawn for every piece of work.
};

class VirtualClock {
  public:
    VirtualClock(const Random& random, const WorkNoise& noise)
        : random_(random), of_piece_(noise.of_piece), factor_(1 + noise.of_rank * exponential(random, 0)) {}

    [[nodiscard]] double now_s() const { return now_s_; }
    /// Let work pass, with its noise.
    void work(double duration_s) {
        now_s_ += duration_s * factor_ * (of_piece_ > 0 ? 1 + of_piece_ * exponential(random_, ++drawn_) : 1);
    }
    /// Let time pass that no noise lengthens.
    void advance(double duration_s) { now_s_ += duration_s; }
    /// Wait until a time; at once where it is over.
    void wait_until(double time_s) { now_s_ = time_s > now_s_ ? time_s : now_s_; }

  private:
    Random random_;
    double of_piece_;
    double factor_;
    double now_s_ = 0;
    std::uint64_t drawn_ = 0;
};

/// That of the rank that runs, among those of this process in virtual time (virtual/ranks.hpp).
inline VirtualClock* running_clock = nullptr;

} // namespace goodsyard
