// What starting together needs: the ranks, their clocks, and how these stand to that of rank 0.
#pragma once

#include <functional>

#include "harness/team.hpp"
#include "timing/clock.hpp"
#include "timing/clock_model.hpp"

namespace goodsyard {

struct Starting {
    const Team& team;
    const Clock& clock;
    ClockModel model;
    bool oversubscribed = false;          ///< More ranks than CPUs: nobody may keep one while he waits.
    bool raw = false;                     ///< Every rank's values are wanted.
    bool check_each = false;              ///< Every outcome is looked at.
    std::function<double()> drift_s = {}; ///< How far the clock is from its model now; collective.
};

/// The largest stated error of any rank's clock, now; on rank 0 only. Collective.
inline double largest_error95_s(const Starting& starting) {
    return starting.team.to_root(Fold::max, starting.model.error95_s(starting.clock.now_s()));
}

} // namespace goodsyard
