// The options that every program has which measures operations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/computation.hpp"
#include "harness/options.hpp"
#include "timing/clock.hpp"
#include "timing/clock_method.hpp"

namespace goodsyard {

struct Settings {
    std::vector<std::string> ops; ///< Names in the registry.
    int warmup = 5;
    int repetitions = 1000; ///< Valid ones, at most.
    double budget_s = 5;    ///< Time for one operation.
    double quantile = 0.25; ///< What is reported, and watched by `precision`.
    double precision =
        0.05; ///< Stop when the 95 % interval of the quantile is this wide, relative; 0: never.
    bool verify = true;
    bool raw = false;
    Timer timer = Timer::monotonic;
    // Of programs whose inputs are drawn.
    std::uint64_t seed = 1;
    // Of programs that charge what they compute.
    ComputeMode compute = ComputeMode::off;
    std::string rates;
    // Of programs with ranks.
    std::string sync = "window";
    double window_s = 0;      ///< First window; 0: from the warm-up.
    double round_factor = 20; ///< Round time: the start lies this many broadcast times ahead.
    ClockMethod clocks = ClockMethod::automatic;
};

/// What a program has of them beside those of all.
struct Abilities {
    bool has_ranks = false;
    bool is_seeded = false;
    bool computes = false;
};

/// Declare them; `known` are the operations, all of which are the default.
void declare(Options& options, Settings& settings, const std::vector<std::string>& entry,
             const Abilities& abilities);

} // namespace goodsyard
