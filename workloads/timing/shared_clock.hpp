// One time for all ranks: each learns how its own clock stands to that of rank 0.
#pragma once

#include "mpi/session.hpp"
#include "timing/clock.hpp"
#include "timing/clock_method.hpp"
#include "timing/clock_model.hpp"

namespace goodsyard {

/// How much is exchanged. Every rank above rank 0 takes `bursts * spacing_s` once, in O(log p) rounds.
struct ClockEffort {
    int bursts = 12;          ///< Points of the line.
    int exchanges = 20;       ///< Ping-pongs of a point; the tightest bounds of them count.
    double spacing_s = 0.002; ///< From one point to the next: the longer, the better the drift is known.
};

/// What `automatic` stands for here; any other method is itself. Collective.
ClockMethod chosen(ClockMethod method, const World& world, const Clock& clock);

/// The model of this rank's clock. Collective. Parents use their own global clock already, so that errors add
/// up along log2 p links and not along p.
ClockModel synchronise(const World& world, const Clock& clock, ClockMethod method, const ClockEffort& effort);

/// By how much this rank's clock differs from what its model says, as its parent in the tree sees it now; 0
/// on rank 0, and where all read one clock. Collective.
double clock_drift_s(const World& world, const Clock& clock, const ClockModel& model, ClockMethod method,
                     const ClockEffort& effort);

} // namespace goodsyard
