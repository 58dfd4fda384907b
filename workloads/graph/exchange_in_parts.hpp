// All ranks exchange more items than fit into memory at once: part by part, until no rank has any left.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/team.hpp"

namespace goodsyard::graph {

/// Exchange items in parts. Collective.
///
/// `fill(outgoing)` puts some items into the vectors of their ranks, and says whether there are more;
/// `take(item)` is called for each that arrives.
template <class Item, class Fill, class Take>
void exchange_in_parts(const Team& team, Fill fill, Take take) {
    for (bool any = true; any;) {
        std::vector<std::vector<Item>> outgoing(static_cast<std::size_t>(team.size()));
        const bool is_unfinished = fill(outgoing);
        for (const std::vector<Item>& received : team.exchanged(outgoing)) {
            for (const Item& item : received) {
                take(item);
            }
        }
        any = team.all(Fold::max, std::uint64_t{is_unfinished ? 1U : 0U}) != 0;
    }
}

} // namespace goodsyard::graph
