#include "runtime/parameters.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

#include "harness/computation.hpp"
#include "harness/failure.hpp"

namespace goodsyard::runtime {

namespace {

/// Beyond it, longer messages gain nothing on one node (README.md), and each rank keeps one for every other.
constexpr std::int64_t coalesced_bytes = std::int64_t{32} << 10U;

} // namespace

void declare(Options& options, Parameters& parameters) {
    options.add("--runtime", parameters.preset,
                "am++: coalesced messages, handlers; hpx-5: parcels one by one, tasks with stacks. Decides "
                "--execution and --buffer-bytes where these are not given",
                {{"am++", Preset::am_plus_plus}, {"hpx-5", Preset::hpx_5}});
    options.add("--execution", parameters.execution, "What runs a work item",
                {{"preset", Execution::of_preset},
                 {"handler", Execution::handler},
                 {"fibre", Execution::fibre},
                 {"coroutine", Execution::coroutine}});
    options.add(
        "--transport", parameters.transport,
        "ring: in a window that the ranks of a node share, and point-to-point between nodes; default: ring "
        "where nodes have several ranks and room for it, else point-to-point",
        {{"default", TransportKind::standard},
         {"point-to-point", TransportKind::point_to_point},
         {"ring", TransportKind::ring}});
    options.add("--node-ranks", parameters.node_ranks,
                "Consecutive ranks of a host that are taken for a node; 0: all of them", {0, 1 << 20});
    options.add(
        "--idle", parameters.idle,
        "While waiting for messages; default: wait (in MPI) on a simulated machine, else yield",
        {{"default", Idle::standard}, {"spin", Idle::spin}, {"yield", Idle::yield}, {"wait", Idle::wait}});
    options.add("--buffer-bytes", parameters.buffer_bytes,
                "Bytes of a message, which is sent when it is full; 0: one item; -1: as the preset has it",
                {automatic, 1 << 24});
    options.add("--flush-age", parameters.flush_age_s,
                "Seconds after which a message is sent though it is not full; 0: never", {0.0, 3600.0});
    options.negated("--no-flush-when-idle", parameters.flush_when_idle,
                    "A rank that has nothing else to do sends only what is old or asked for");
    options.add(
        "--route", parameters.route,
        "How items reach their ranks: direct; grid, along a row of ranks and then a column; node, put "
        "together on this node by the node that they go to",
        {{"direct", Route::direct}, {"grid", Route::grid}, {"node", Route::node}});
    options.add(
        "--cache", parameters.cache, "Items that need not be sent after those that were",
        {{"none", Cache::none}, {"duplicates", Cache::duplicates}, {"min", Cache::min}, {"sum", Cache::sum}});
    options.add("--cache-bits", parameters.cache_bits, "Entries of a cache, as a power of 2", {0, 24});
    options.add("--sends", parameters.sends, "Messages of a rank on their way", {1, 4096});
    options.add("--receives", parameters.receives, "Receives posted in advance", {1, 4096});
    options.add("--ring-slots", parameters.ring_slots, "ring: messages between two ranks", {1, 4096});
    options.add("--backlog-bytes", parameters.backlog_bytes,
                "Bytes of messages that may wait on a rank outside of epochs, before the program ends; 0: no "
                "limit",
                {0, std::int64_t{1} << 50U});
    options.add("--stack-bytes", parameters.stack_bytes, "Of a fibre", {8192, 1 << 28});
    options.add("--stack-pages", parameters.stack_pages,
                "guarded: a task that overruns its stack fails at once; huge: densely in huge pages, faster "
                "with many tasks (100,000 take 0.9 GB with --stack-bytes 8192)",
                {{"guarded", StackPages::guarded}, {"huge", StackPages::huge}});
    options.add(
        "--active-tasks", parameters.active_tasks,
        "Tasks of a rank that are begun and not ended; further ones wait. 0: as many as the second-level "
        "cache has KiB; on a simulated machine 65536",
        {0, 1U << 30U});
    options.add("--poll-interval", parameters.poll_interval,
                "Tasks that a rank begins, or stealable items that it works on, between looks for messages",
                {1, 1U << 30U});
    options.add("--steal-attempts", parameters.steal_attempts,
                "Victims that a rank without work asks in vain before it waits to be given some", {1, 4096});
    options.add("--steal-chunk", parameters.steal_chunk,
                "Items that a thief is given, at most half of its victim's; 0: half", {0, 1U << 30U});
    options.add("--loop-threshold", parameters.loop_threshold,
                "Indices of a loop that a task does itself; with more it gives half of them away",
                {1, 1U << 30U});
    options.flag("--delegates-to-self", parameters.delegates_to_self,
                 "Delegates of a rank to itself are sent as messages, as those to other ranks");
    options.add("--trace-tasks", parameters.trace_tasks_s,
                "Seconds between samples of how many tasks are active; 0: none", {0.0, 3600.0});
    options.flag(
        "--checked", parameters.checked,
        "For programs that are being written: ranks compare their channels before each epoch, and all "
        "stacks are guarded");
    // On rank 0, before the values are sent to all.
    options.check([&parameters] { parameters = settled(parameters); });
}

void take_fibres(Parameters& parameters, const std::string& option) {
    if (parameters.execution != Execution::of_preset && parameters.execution != Execution::fibre) {
        throw UsageError(option + " waits in tasks with stacks; --execution fibre, or leave it out");
    }
    parameters.execution = Execution::fibre;
}

Parameters settled(Parameters parameters) {
    const bool as_hpx = parameters.preset == Preset::hpx_5;
    if (parameters.execution == Execution::of_preset) {
        parameters.execution = as_hpx ? Execution::fibre : Execution::handler;
    }
    if (parameters.buffer_bytes == automatic) {
        parameters.buffer_bytes = as_hpx ? 0 : coalesced_bytes;
    }
    const bool is_ring = parameters.transport == TransportKind::ring;
    if (is_ring && machine_is_simulated()) {
        throw UsageError("--transport ring: simulated ranks share no memory; point-to-point");
    }
    if (is_ring && parameters.idle == Idle::wait) {
        throw UsageError("--idle wait is MPI's, which knows nothing of --transport ring; yield or spin");
    }
    if (parameters.transport == TransportKind::standard &&
        (machine_is_simulated() || parameters.idle == Idle::wait)) {
        parameters.transport = TransportKind::point_to_point;
    }
    if (parameters.checked) {
        parameters.stack_pages = StackPages::guarded;
    }
    if (parameters.active_tasks == 0) {
        parameters.active_tasks = active_tasks_of_place();
    }
    if (parameters.idle == Idle::standard) {
        parameters.idle = machine_waits_in_mpi() ? Idle::wait : Idle::yield;
    }
    return parameters;
}

std::string mistake_in(const Parameters& parameters) {
    if (parameters.buffer_bytes < 0 || parameters.execution == Execution::of_preset ||
        parameters.active_tasks == 0) {
        return "parameters of a runtime are not settled: pass settled(parameters)";
    }
    if (parameters.sends < 1 || parameters.receives < 1 || parameters.poll_interval < 1 ||
        parameters.loop_threshold < 1) {
        return "sends, receives, poll_interval and loop_threshold of a runtime are at least 1: with less it "
               "gets no further";
    }
    return "";
}

std::uint64_t active_tasks_of_place() {
    constexpr std::uint64_t most = 65536;
    if (machine_is_simulated()) {
        return most;
    }
    constexpr std::int64_t usual_bytes = std::int64_t{1} << 20U; // Where the system does not say.
    const std::int64_t cache_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    constexpr std::int64_t touched_bytes = 1024; // Registers, some frames, and the worker, line by line.
    constexpr std::uint64_t fewest = 256;
    const std::int64_t tasks = (cache_bytes > 0 ? cache_bytes : usual_bytes) / touched_bytes;
    return std::clamp(static_cast<std::uint64_t>(tasks), fewest, most);
}

double bytes_of_task(const Parameters& parameters) {
    constexpr double touched_bytes = 8192; // Two pages.
    return parameters.stack_pages == StackPages::huge ? static_cast<double>(parameters.stack_bytes)
                                                      : touched_bytes;
}

std::string text_of_common(const Parameters& parameters) {
    constexpr std::array<const char*, 3> transports{"default", "point-to-point", "ring"};
    constexpr std::array<const char*, 3> routes{"direct", "grid", "node"};
    return std::string("--transport ") + transports.at(static_cast<std::size_t>(parameters.transport)) +
           " --node-ranks " + std::to_string(parameters.node_ranks) + " --buffer-bytes " +
           std::to_string(parameters.buffer_bytes) + " --ring-slots " +
           std::to_string(parameters.ring_slots) + " --route " +
           routes.at(static_cast<std::size_t>(parameters.route)) + (parameters.checked ? " --checked" : "");
}

std::size_t capacity_bytes(const Parameters& parameters) {
    return std::max(static_cast<std::size_t>(parameters.buffer_bytes), longest_item_bytes);
}

} // namespace goodsyard::runtime
