// What the command line asks for; rank 0 reads it, all ranks get it.
#pragma once

#include <array>

#include "collectives/operation.hpp"
#include "timing/clock.hpp"
#include "timing/shared_clock.hpp"

namespace workloads {

enum class Sync : int { window, round_time, barrier };

/// Trivially copyable: it is broadcast as it is.
struct Options {
    std::array<bool, op_names.size()> ops = {};
    int bytes = 800;
    int warmup = 5;
    int repetitions = 1000; ///< Valid ones, at most.
    double budget_s = 5;    ///< Time for one operation.
    double quantile = 0.25; ///< What is reported, and watched by `precision`.
    double precision =
        0.05;            ///< Stop when the 95 % interval of the quantile is this wide, relative; 0: never.
    double window_s = 0; ///< First window; 0: from the warm-up.
    double round_factor = 20; ///< Round time: the start lies this many broadcast times ahead.
    Sync sync = Sync::window;
    ClockMethod clocks = ClockMethod::automatic;
    Timer timer = Timer::monotonic;
    int most_ranks = 0; ///< Gather, Allgather and Alltoall are left out above; 0: never.
    bool verify = true;
    bool raw = false;
};

/// Read on rank 0, print help or what is wrong there, and hand to all. Collective.
///
/// Returns the exit code where the program is to end now, and -1 otherwise.
int read_options(int argc, char** argv, const World& world, Options& options);

} // namespace workloads
