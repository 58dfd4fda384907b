#include "collectives/options.hpp"

#include "mpi/check.hpp"

#ifdef WORKLOADS_SIMULATED
// The simulator's macro of one argument would rewrite CLI11's member function of three.
#undef exit
#endif

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace workloads {

static_assert(std::is_trivially_copyable_v<Options>);

namespace {

int parse(int argc, char** argv, Options& options) {
    CLI::App app{"Latency of MPI collectives, from synchronised starts; writes Steelyard's line protocol.",
                 "collectives"};
    std::vector<std::string> ops(op_names.begin(), op_names.end());
    const std::map<std::string, Sync> syncs = {
        {"window", Sync::window}, {"round-time", Sync::round_time}, {"barrier", Sync::barrier}};
    const std::map<std::string, ClockMethod> clocks = {{"auto", ClockMethod::automatic},
                                                       {"hca3", ClockMethod::hca3},
                                                       {"offset", ClockMethod::offset},
                                                       {"one", ClockMethod::one}};
    const std::map<std::string, Timer> timers = {{"monotonic", Timer::monotonic}, {"cycles", Timer::cycles}};
    bool unverified = false;
    app.add_option("--ops", ops, "Operations, with commas between")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<std::string>(op_names.begin(), op_names.end())));
    app.add_option("--bytes", options.bytes, "Message of one rank; a multiple of 8")
        ->check(CLI::Range(8, 1 << 28));
    app.add_option("--warmup", options.warmup, "Untimed runs first")->check(CLI::Range(0, 100'000));
    app.add_option("--repetitions", options.repetitions, "Valid repetitions, at most")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--budget", options.budget_s, "Seconds for one operation, at most")
        ->check(CLI::Range(1e-3, 1e6));
    app.add_option("--quantile", options.quantile, "What is reported of the repetitions")
        ->check(CLI::Range(0.01, 0.99));
    app.add_option("--precision", options.precision,
                   "Stop when the 95 % interval of the quantile is this wide, relative; 0: never")
        ->check(CLI::Range(0.0, 10.0));
    app.add_option("--window", options.window_s, "First window in seconds; 0: from the warm-up")
        ->check(CLI::Range(0.0, 1e3));
    app.add_option("--round-factor", options.round_factor,
                   "Broadcast times until a round starts (round-time)")
        ->check(CLI::Range(1.0, 1e6));
    app.add_option("--sync", options.sync,
                   "window, round-time, or barrier, which exists to show what it does")
        ->transform(CLI::CheckedTransformer(syncs));
    app.add_option(
           "--clocks", options.clocks,
           "hca3, offset (no drift), one (the ranks share a clock), or auto: one where they do, else hca3")
        ->transform(CLI::CheckedTransformer(clocks));
    app.add_option("--timer", options.timer, "monotonic, or cycles (RDTSC)")
        ->transform(CLI::CheckedTransformer(timers));
    app.add_option("--most-ranks", options.most_ranks,
                   "Leave gather, allgather and alltoall, whose buffers grow with the ranks, out above so "
                   "many; 0: never")
        ->check(CLI::Range(0, 1 << 20));
    app.add_flag("--no-verify", unverified, "Do not check what the operations do");
    app.add_flag("--raw", options.raw,
                 "Every rank's value of every repetition too (latency_of_rank_s), and means over them");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : 2;
    }
    if (options.bytes % 8 != 0) {
        std::fprintf(stderr, "--bytes %d is no multiple of 8\n", options.bytes);
        return 2;
    }
    options.verify = !unverified;
    for (const std::string& name : ops) {
        const auto at = std::find(op_names.begin(), op_names.end(), name) - op_names.begin();
        options.ops[static_cast<std::size_t>(at)] = true;
    }
    return -1;
}

} // namespace

int read_options(int argc, char** argv, const World& world, Options& options) {
    int code = world.is_root() ? parse(argc, argv, options) : -1;
    check(MPI_Bcast(&code, 1, MPI_INT, 0, world.handle()), "MPI_Bcast");
    check(MPI_Bcast(&options, sizeof options, MPI_BYTE, 0, world.handle()), "MPI_Bcast");
    return code;
}

} // namespace workloads
