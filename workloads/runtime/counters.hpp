// What a rank of the runtime has done.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "harness/operation.hpp"
#include "harness/team.hpp"

namespace goodsyard::runtime {

/// Why a message was sent.
enum class Flush : int {
    full,   ///< It had reached its length.
    single, ///< It takes a single item: nothing is aggregated.
    age,    ///< Its first item had waited long enough.
    idle,   ///< The rank had nothing else to do.
    asked,  ///< The program asked for it.
    last,   ///< The epoch would not have ended otherwise.
};
inline constexpr std::size_t flush_reasons = 6;

/// How often values were of which size, in classes: (2^(i-1), 2^i] is class i.
class Histogram {
  public:
    static constexpr std::size_t classes = 26;

    void add(std::uint64_t value, std::uint64_t times = 1) {
        const auto kind = static_cast<std::size_t>(std::bit_width(value > 0 ? value - 1 : 0));
        counts_[std::min(kind, classes - 1)] += times;
    }
    /// Class by class.
    [[nodiscard]] const std::array<std::uint64_t, classes>& counts() const { return counts_; }

  private:
    std::array<std::uint64_t, classes> counts_ = {};
};

struct Counters {
    // Of messages.
    std::uint64_t items = 0;         ///< Sent, those to the rank itself included.
    std::uint64_t items_handled = 0; ///< Begun.
    std::uint64_t forwarded = 0;     ///< Of those: passed on, on their way to another rank.
    std::uint64_t messages = 0;      ///< To other ranks.
    std::uint64_t message_bytes = 0;
    std::uint64_t messages_to_self = 0;
    Histogram items_by_bytes;    ///< Before aggregation.
    Histogram messages_by_bytes; ///< After it, those to other ranks.
    std::uint64_t flushes[flush_reasons] = {};
    std::uint64_t combined = 0;        ///< Items that a cache spared.
    std::uint64_t waits_for_room = 0;  ///< Times a message found all sends taken.
    std::uint64_t longest_backlog = 0; ///< Messages that had arrived and waited.
    // Of epochs.
    std::uint64_t epochs = 0;
    std::uint64_t waves = 0; ///< Reductions that looked for the end of an epoch.
    std::uint64_t idle_polls = 0;
    // Of tasks.
    std::uint64_t tasks = 0;         ///< Fibres or coroutines begun.
    std::uint64_t switches = 0;      ///< To a fibre that goes on, each with the way back.
    std::uint64_t resumptions = 0;   ///< Of a coroutine that goes on.
    std::uint64_t yields = 0;        ///< Tasks that let others go first.
    std::uint64_t suspensions = 0;   ///< Tasks that waited for a control object or for room.
    std::uint64_t longest_ready = 0; ///< Tasks that could go on and waited.
    std::uint64_t most_active = 0;   ///< Tasks begun and not ended: active ones.
    std::uint64_t most_unbegun = 0;  ///< Tasks that waited to be begun.
    double blocked_s = 0;            ///< Time in which tasks waited, and the rank had nothing else to do.
    // Of stealing.
    std::uint64_t steals_tried = 0; ///< Times this rank asked for items.
    std::uint64_t steals = 0;       ///< Times this rank gave items to one that had none.
    std::uint64_t stolen_items = 0; ///< Given.
    Histogram steals_by_items;
    std::uint64_t refusals = 0; ///< Times this rank asked in vain.
    // Of a global address space.
    std::uint64_t delegates = 0;      ///< Sent to be executed, to other ranks or this one.
    std::uint64_t delegates_here = 0; ///< Executed, or spawned, here, since the object is this rank's.
    // Of work items, counted by the algorithm.
    std::uint64_t useful = 0;     ///< Changed something that lasted until it was worked on.
    std::uint64_t superseded = 0; ///< Changed something, and were overtaken before they were worked on.
    std::uint64_t rejected = 0;   ///< Changed nothing.
};

/// Each counter as a metric: the sum over ranks, of `longest_…` and `most_…` the maximum; of a histogram the
/// classes that are not empty, with the largest value of each as a label `up_to`. Collective.
std::vector<Fact> facts(const Team& team, const Counters& counters);

} // namespace goodsyard::runtime
