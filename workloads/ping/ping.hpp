// One way, as fast as it goes: the ranks of the first half each send to one of the second.
//
// The runtime's two kinds, and plain MPI in the pattern of osu_mbw_mr (OSU Micro-Benchmarks): a window of
// sends, and an answer when all of it has arrived.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/entry.hpp"
#include "runtime/parameters.hpp"

namespace goodsyard::ping {

/// Messages of plain MPI on their way.
inline constexpr int window = 64;
/// Of items of the runtime.
inline constexpr int longest_item_bytes = 4096;

struct Asked {
    int payload_bytes = 8;         ///< A power of 2.
    std::uint64_t count = 100'000; ///< Messages of each sender, rounded up to whole windows.
    runtime::Parameters runtime;

    [[nodiscard]] std::uint64_t windows() const { return (count + window - 1) / window; }
    [[nodiscard]] std::uint64_t messages() const { return windows() * window; }
};

/// A rank and the one that it sends to, or receives from.
struct Pair {
    /// Raises UsageError where a rank is left over.
    explicit Pair(const Team& team);

    bool sends;
    int partner;
    int pairs; ///< Of all ranks.
};

/// By items of the runtime, aggregated as the parameters have it; nothing where they would be too long.
/// Collective, as are the others.
std::unique_ptr<Operation> make_aggregated(const MpiContext& context, const Asked& request);
/// The same, each a message.
std::unique_ptr<Operation> make_raw(const MpiContext& context, const Asked& request);
std::unique_ptr<Operation> make_plain(const MpiContext& context, const Asked& request);

} // namespace goodsyard::ping
