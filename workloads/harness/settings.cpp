#include "harness/settings.hpp"

#include "harness/synchroniser.hpp"

namespace goodsyard {

namespace {

void declare_ranks(Options& options, Settings& settings) {
    options.add("--sync", settings.sync,
                "How ranks start together: window, round-time, or barrier, which exists to show what it does",
                synchroniser_names());
    options.add("--window", settings.window_s, "First window in seconds; 0: from the warm-up", {0.0, 1e3});
    options.add("--round-factor", settings.round_factor, "Broadcast times until a round starts (round-time)",
                {1.0, 1e6});
    options.add(
        "--clocks", settings.clocks,
        "hca3, offset (no drift), one (the ranks share a clock), or auto: one where they do, else hca3",
        {{"auto", ClockMethod::automatic},
         {"hca3", ClockMethod::hca3},
         {"offset", ClockMethod::offset},
         {"one", ClockMethod::one}});
}

void declare_computation(Options& options, Settings& settings) {
    options.add(
        "--compute", settings.compute,
        "What counted operations take on a simulated machine: off (nothing), fixed (1 ns), or calibrated",
        {{"off", ComputeMode::off}, {"fixed", ComputeMode::fixed}, {"calibrated", ComputeMode::calibrated}});
    options.add("--rates", settings.rates, "File that `calibrate` wrote, in place of the source's own");
}

} // namespace

void declare(Options& options, Settings& settings, const std::vector<std::string>& entry,
             const Abilities& abilities) {
    if (settings.ops.empty()) {
        settings.ops = entry;
    }
    options.add("--ops", settings.ops, "Operations, with commas between", entry);
    options.add("--warmup", settings.warmup, "Untimed runs first", {0, 100'000});
    options.add("--repetitions", settings.repetitions, "Valid repetitions, at most", {1, 1'000'000});
    options.add("--budget", settings.budget_s, "Seconds for one operation, at most", {1e-3, 1e6});
    options.add("--quantile", settings.quantile, "What is reported of the repetitions", {0.01, 0.99});
    options.add("--precision", settings.precision,
                "Stop when the 95 % interval of the quantile is this wide, relative; 0: never", {0.0, 10.0});
    options.add("--timer", settings.timer, "monotonic, or cycles (RDTSC)",
                {{"monotonic", Timer::monotonic}, {"cycles", Timer::cycles}});
    options.negated("--no-verify", settings.verify, "Do not check what the operations do");
    options.flag("--raw", settings.raw, "Every rank's value of every repetition too, and means over them");
    if (abilities.is_seeded) {
        options.add("--seed", settings.seed, "Of all inputs, which do not depend on the number of ranks");
    }
    if (abilities.has_ranks) {
        declare_ranks(options, settings);
    }
    if (abilities.computes) {
        declare_computation(options, settings);
    }
}

} // namespace goodsyard
