// How long windows are and how far ahead the first begins, as they follow what was seen. Needs no MPI.
#pragma once

#include <algorithm>
#include <vector>

#include "harness/batch.hpp"
#include "harness/pace.hpp"

namespace goodsyard {

class Window {
  public:
    /// `first_s`: the user's wish, or 0; `longest_s`: what one run was seen to take.
    Window(double first_s, double longest_s)
        : length_s_(first_s > 0 ? first_s : std::max(shortest_s, room * longest_s)),
          lead_s_(std::max(shortest_lead_s, room * longest_s)), longest_lead_s_(std::max(5e-3, lead_s_)) {}

    [[nodiscard]] double length_s() const { return length_s_; }
    [[nodiscard]] double lead_s() const { return lead_s_; }

    /// Follow a batch; `busy_s` has for each repetition how long the slowest rank was busy, from its begin
    /// until it was ready for the next.
    void adapt(const Batch& batch, const std::vector<double>& busy_s) {
        // The first start depends on the lead alone. What a rank without a CPU misses, no lead gives back:
        // while the others wait for it, they lose theirs.
        const bool missed =
            !batch.spoilt.empty() && batch.spoilt.front() == static_cast<int>(Spoilt::not_ready);
        lead_s_ = missed ? std::min(longest_lead_s_, 2 * lead_s_) : std::max(shortest_lead_s, lead_s_ / 2);
        length_s_ = next_distance_s(length_s_, busy_s, shortest_s);
    }

  private:
    static constexpr double shortest_s = 20e-6; ///< Below, waiting is as long as what is measured.
    static constexpr double room = 8;           ///< First window over the time that one run was seen to take.
    static constexpr double shortest_lead_s = 200e-6; ///< From the announcement to the first start.

    double length_s_;
    double lead_s_;
    double longest_lead_s_;
};

} // namespace goodsyard
