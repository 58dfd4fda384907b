// How far apart starts are, as that follows what ranks were seen to need. Needs no MPI.
#pragma once

#include <algorithm>
#include <vector>

#include "timing/quantile.hpp"

namespace goodsyard {

/// Share of repetitions whose need is met. What a few need, because a rank lost its CPU for milliseconds, is
/// no measure: those are spoilt and made again, which costs less than milliseconds for each of the others.
inline constexpr double met = 0.9;
/// What is given over what is needed.
inline constexpr double room_s_per_s = 1.5;

/// The next distance: enough for most of `needed_s`, at once where it has to grow, and by half at most where
/// it may shrink. `shortest_s` is not gone below; without `needed_s` it stays.
inline double next_distance_s(double now_s, std::vector<double> needed_s, double shortest_s) {
    if (needed_s.empty()) {
        return now_s;
    }
    std::sort(needed_s.begin(), needed_s.end());
    const double wanted_s = std::max(shortest_s, room_s_per_s * quantile(needed_s, met));
    return std::max(wanted_s, now_s / 2);
}

} // namespace goodsyard
