// What ranks add up to find out whether an epoch has ended, and what it found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace goodsyard::runtime {

/// What the ranks agree on at the end of an epoch, at no further cost.
struct Agreed {
    std::uint64_t sum = 0;                                         ///< Of the ranks' values.
    std::uint64_t min = std::numeric_limits<std::uint64_t>::max(); ///< Of the ranks' values.
};

struct Tally {
    std::uint64_t sent = 0;    ///< Messages.
    std::uint64_t handled = 0; ///< Messages.
    std::uint64_t blocked = 0; ///< Tasks that wait.
    Agreed values;
    std::uint64_t channels = 0; ///< What distinguishes the channels that there are: equal on all ranks.

    void add(const Tally& second) {
        sent += second.sent;
        handled += second.handled;
        blocked += second.blocked;
        channels += second.channels;
        values.sum += second.values.sum;
        values.min = std::min(values.min, second.values.min);
    }
};

} // namespace goodsyard::runtime
