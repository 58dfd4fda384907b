// How long windows are and how far ahead the first begins, as they follow what was seen. Needs no MPI.
#pragma once

#include <algorithm>

#include "harness/batch.hpp"

namespace workloads {

class Window {
  public:
    /// `first_s`: the user's wish, or 0; `longest_s`: what one run was seen to take.
    Window(double first_s, double longest_s)
        : length_s_(first_s > 0 ? first_s : std::max(shortest_s, room * longest_s)),
          lead_s_(std::max(shortest_lead_s, room * longest_s)) {}

    [[nodiscard]] double length_s() const { return length_s_; }
    [[nodiscard]] double lead_s() const { return lead_s_; }

    /// Follow a batch; `last_end_s` is the latest end of any rank after the start of its window.
    void adapt(const Batch& batch, double last_end_s) {
        const auto flawed = static_cast<double>(
            std::count_if(batch.spoilt.begin(), batch.spoilt.end(), [](int s) { return s != 0; }));
        if (flawed < flawed_share * static_cast<double>(batch.spoilt.size())) {
            return;
        }
        // The first start depends on the lead alone.
        if (batch.spoilt.front() != 0) {
            lead_s_ *= 2;
        }
        const double longest_s = *std::max_element(batch.longest_s.begin(), batch.longest_s.end());
        length_s_ = std::max(2 * length_s_, 1.5 * std::max(longest_s, std::min(last_end_s, 4 * length_s_)));
    }

  private:
    static constexpr double shortest_s = 20e-6; ///< Below, waiting is as long as what is measured.
    static constexpr double room = 8;           ///< First window over the time that one run was seen to take.
    static constexpr double shortest_lead_s = 200e-6; ///< From the announcement to the first start.
    static constexpr double flawed_share = 0.25; ///< So many spoilt repetitions of a batch widen the window.

    double length_s_;
    double lead_s_;
};

} // namespace workloads
