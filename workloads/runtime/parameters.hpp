// Every knob of the runtime, each a named option of the programs that stand on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/options.hpp"
#include "runtime/routing.hpp"
#include "runtime/stack_pool.hpp"

namespace goodsyard::runtime {

/// How a work item is executed when it arrives.
enum class Execution : int {
    of_preset,
    handler,   ///< Runs to its end in the receive loop, on the rank's own stack; cannot wait.
    fibre,     ///< A task with a stack of its own (Boost.Context), which can wait.
    coroutine, ///< A task with a frame in place of a stack (C++20), which can wait.
};

enum class TransportKind : int {
    standard,       ///< ring where nodes have several ranks and room, point to point elsewhere.
    point_to_point, ///< Pre-posted receives, a bounded number of sends on their way.
    ring,           ///< Rings of slots in a window that a node's ranks share; point to point between nodes.
};

/// What a rank does while it waits for messages.
enum class Idle : int {
    standard,
    spin,  ///< Asks again at once.
    yield, ///< Gives its CPU away after every empty poll.
    wait,  ///< Blocks in MPI_Waitany; on a simulated machine time only passes sensibly with this one.
};

/// What is remembered of items that were sent, to spare sending others.
enum class Cache : int {
    none,
    duplicates, ///< An item equal to one sent before is dropped.
    min,        ///< An item whose value is not below that sent before under its key is dropped.
    sum,        ///< Values of a key are added up, and sent when another key needs the place, or at a flush.
};

/// Known corners of the space of parameters.
enum class Preset : int {
    am_plus_plus, ///< AM++: messages coalesced by destination, handlers in the receive loop.
    hpx_5,        ///< HPX-5: parcels one by one, each a task with a stack.
};

/// Whether a program is compiled to look for misuse that takes time to notice: without NDEBUG, or with
/// GOODSYARD_CHECKED. Layouts are the same either way.
#if defined(GOODSYARD_CHECKED) || !defined(NDEBUG)
constexpr bool compiled_to_check = true;
#else
constexpr bool compiled_to_check = false;
#endif

/// Bytes as the preset has them.
inline constexpr std::int64_t automatic = -1;

struct Parameters {
    Preset preset = Preset::am_plus_plus;
    Execution execution = Execution::of_preset;
    TransportKind transport = TransportKind::standard;
    int node_ranks = 0; ///< Consecutive ranks of a host that are taken for a node; 0: all of them.
    Idle idle = Idle::standard;
    std::int64_t buffer_bytes = automatic; ///< A message is sent when it is so long; 0: an item a message.
    double flush_age_s = 0;                ///< A message is sent when its first item is so old; 0: never.
    bool flush_when_idle = true;           ///< Messages are sent when a rank has nothing else to do.
    Route route = Route::direct;
    Cache cache = Cache::none;
    int cache_bits = 12; ///< Entries of a cache, as a power of 2.
    int sends = 16;      ///< Messages of a rank on their way; further ones wait.
    int receives = 16;   ///< Receives posted in advance.
    int ring_slots = 16; ///< Messages in each ring of a pair of ranks.
    std::int64_t backlog_bytes = std::int64_t{1}
                                 << 30U; ///< Messages that wait on a rank outside of epochs; 0: no limit.
    std::int64_t stack_bytes = 65536;    ///< Of a fibre.
    StackPages stack_pages = StackPages::guarded;
    std::uint64_t active_tasks =
        0; ///< Of a rank, begun and not ended; further ones wait. 0: as place has it.
    std::uint64_t poll_interval =
        256;                       ///< Tasks that are begun, or stealable items, between looks for messages.
    int steal_attempts = 2;        ///< Victims that are asked in vain, before a rank waits to be given work.
    std::uint64_t steal_chunk = 0; ///< Items that a thief is given, at most half of them; 0: half.
    std::uint64_t loop_threshold = 32; ///< Indices of a loop that one task does.
    bool delegates_to_self = false;    ///< Those of a rank to itself are sent as messages too.
    double trace_tasks_s = 0;          ///< Between samples of the number of active tasks; 0: none.
    bool checked = compiled_to_check; ///< Ranks compare their channels before each epoch; stacks are guarded.
};

/// The longest item that a channel takes whatever `buffer_bytes` are.
inline constexpr std::size_t longest_item_bytes = 256;

/// Declare an option for each; they are settled when the command line has been parsed. `parameters` must
/// outlive `options`.
void declare(Options& options, Parameters& parameters);

/// Have items run by fibres, which `option` needs. Raises UsageError where another execution was asked for;
/// to be called before the parameters are settled.
void take_fibres(Parameters& parameters, const std::string& option);

/// The same with nothing left to preset or machine: ranks yield on a real one, wait on a simulated one. Which
/// transport a real one has by default is known when it is made.
/// Raises UsageError where parameters exclude each other.
[[nodiscard]] Parameters settled(Parameters parameters);

/// Why a runtime cannot have these parameters, for people; empty where it can.
[[nodiscard]] std::string mistake_in(const Parameters& parameters);

/// Tasks of a rank that are active by default: on a real machine as many as the second-level cache has KiB,
/// which is what one that waits touches of memory, on a simulated one, which has no caches, 65,536.
[[nodiscard]] std::uint64_t active_tasks_of_place();

/// Memory that a task with a stack takes, at the least: what it touches of its stack.
[[nodiscard]] double bytes_of_task(const Parameters& parameters);

/// Those that are the same on all ranks, as options: without them ranks do not understand each other.
[[nodiscard]] std::string text_of_common(const Parameters& parameters);

/// The capacity of a message of any channel.
[[nodiscard]] std::size_t capacity_bytes(const Parameters& parameters);

} // namespace goodsyard::runtime
