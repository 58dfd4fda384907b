// The search for approximate splitters of histogram sort, apart from communication: every rank takes the same
// decisions from the same counts.
//
// Solomonik, Kalé: Highly scalable parallel sorting, IPDPS 2010, DOI 10.1109/IPDPS.2010.5470406. A key x with
// #<(x) smaller and #≤(x) not larger keys serves as splitter of the target t if it can be cut at t ± τ: its
// equals are split, too, so that duplicates end the search instead of prolonging it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sorting/item.hpp"

namespace goodsyard::sorting {

/// A probe and where it lies among the keys of all ranks.
struct Probe {
    Key key = 0;
    std::uint64_t below = 0; ///< keys that are smaller
    std::uint64_t up_to = 0; ///< keys that are not larger
};

/// One splitter: what is known of the place of its target.
struct Bracket {
    std::uint64_t target = 0; ///< items that belong to the left
    bool accepted = false;
    std::uint64_t cut = 0; ///< of an accepted one: items that go to the left
    Probe at;              ///< of an accepted one: the key that is cut
    bool has_low = false;
    bool has_high = false;
    Probe low;  ///< the largest key known to be left of the target
    Probe high; ///< the smallest known to be right of it

    /// Keys between low and high, both excluded; `total` in all.
    [[nodiscard]] std::uint64_t inside(std::uint64_t total) const {
        return (has_high ? high.below : total) - (has_low ? low.up_to : 0);
    }
};

/// Take what the probes tell, which come in ascending order: accept the one that is nearest to the target if
/// it is within `tolerance`, and narrow the bracket otherwise.
inline void narrow(Bracket& bracket, const std::vector<Probe>& probes, std::uint64_t tolerance) {
    std::uint64_t nearest = tolerance + 1;
    for (const Probe& probe : probes) {
        const std::uint64_t cut = std::clamp(bracket.target, probe.below, probe.up_to);
        const std::uint64_t distance = cut < bracket.target ? bracket.target - cut : cut - bracket.target;
        if (distance < nearest) {
            nearest = distance;
            bracket.accepted = true;
            bracket.cut = cut;
            bracket.at = probe;
        }
        if (probe.up_to < bracket.target && (!bracket.has_low || probe.key > bracket.low.key)) {
            bracket.has_low = true;
            bracket.low = probe;
        }
        if (probe.below > bracket.target && (!bracket.has_high || probe.key < bracket.high.key)) {
            bracket.has_high = true;
            bracket.high = probe;
        }
    }
}

} // namespace goodsyard::sorting
