// Who takes the time from whom: a binomial tree, so that p clocks are synchronised in O(log p) rounds.
//
// Hunold and Carpen-Amarie, "Hierarchical clock synchronization in MPI" (HCA3), IEEE CLUSTER 2018,
// DOI 10.1109/CLUSTER.2018.00050. Rounds i = floor(log2 p) … 1: parent r with r mod 2^i = 0, child
// r + 2^(i-1); a last round serves the ranks from 2^floor(log2 p) on.
#pragma once

#include <bit>
#include <vector>

namespace goodsyard {

/// In one round, `child` learns the clock of rank 0 from `parent`, which knows it already.
struct ClockPair {
    int parent = 0;
    int child = 0;
};

/// The pairs of each round, in order; pairs of one round work at the same time.
inline std::vector<std::vector<ClockPair>> clock_rounds(int ranks) {
    const int levels = ranks < 2 ? 0 : std::bit_width(static_cast<unsigned>(ranks)) - 1;
    const int power = 1 << levels;
    std::vector<std::vector<ClockPair>> rounds;
    for (int i = levels; i >= 1; --i) {
        std::vector<ClockPair> pairs;
        for (int parent = 0; parent < power; parent += 1 << i) {
            pairs.push_back({parent, parent + (1 << (i - 1))});
        }
        rounds.push_back(pairs);
    }
    if (power < ranks) {
        std::vector<ClockPair> pairs;
        for (int child = power; child < ranks; ++child) {
            pairs.push_back({child - power, child});
        }
        rounds.push_back(pairs);
    }
    return rounds;
}

} // namespace goodsyard
