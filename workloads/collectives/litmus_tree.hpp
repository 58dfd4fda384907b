// Who sends to whom in the litmus test, and in which order: from the farthest to the nearest, each message
// halving what is left. Needs no MPI.
//
// Chan, Heimlich, Purkayastha, van de Geijn: Collective communication, 2007, DOI 10.1002/cpe.1206,
// section 4.1 (minimum spanning tree broadcast). The order matters where distance does: nearest first, all of
// the last round's messages cross the machine at once.
#pragma once

#include <bit>
#include <vector>

namespace goodsyard {

/// The part of one rank in a broadcast from rank 0.
struct TreePart {
    int parent = -1;           ///< Whom it hears from; none on rank 0.
    std::vector<int> children; ///< Whom it then tells, in this order.
};

inline TreePart tree_part(int rank, int ranks) {
    const auto place = static_cast<unsigned>(rank);
    const auto size = static_cast<unsigned>(ranks);
    TreePart part;
    unsigned distance = std::bit_ceil(size);
    if (place != 0) {
        part.parent = static_cast<int>(place & (place - 1));
        distance = place & -place;
    }
    for (distance /= 2; distance > 0; distance /= 2) {
        if (place + distance < size) {
            part.children.push_back(static_cast<int>(place + distance));
        }
    }
    return part;
}

} // namespace goodsyard
