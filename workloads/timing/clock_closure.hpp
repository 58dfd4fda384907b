// What two ways differ by, from clocks compared in a circle.
//
// A ping-pong takes the middle of its bounds for the offset. Where one way is longer than the other, that is
// wrong by half of their difference, and no number of ping-pongs shows it. But two ranks that learnt the time
// along different branches, and then compare their clocks directly, find the errors of all links in that
// circle: the clocks themselves drop out. Their size over that of the bounds is the share that is stated of
// every link.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "timing/clock_model.hpp"
#include "timing/clock_tree.hpp"
#include "timing/student.hpp"

namespace goodsyard {

/// Ranks 2k - 1 and 2k, which are never parent and child in the tree: the second asks the first.
inline std::vector<ClockPair> closing_pairs(int ranks) {
    std::vector<ClockPair> pairs;
    for (int second = 2; second < ranks; second += 2) {
        pairs.push_back({second - 1, second});
    }
    return pairs;
}

/// Parent of each rank in the tree; -1 of rank 0.
inline std::vector<int> clock_parents(int ranks) {
    std::vector<int> parents(static_cast<std::size_t>(ranks), -1);
    for (const auto& round : clock_rounds(ranks)) {
        for (const ClockPair& pair : round) {
            parents[static_cast<std::size_t>(pair.child)] = pair.parent;
        }
    }
    return parents;
}

/// Exchanges of a circle over those of a link: it is one burst, and a delay in all of them would be taken for
/// what the ways differ by.
constexpr int closing_effort = 3;

/// One circle.
struct Closure {
    double discrepancy_s = 0; ///< What is left once all its offsets are added.
    double bounds_s2 = 0;     ///< Squared half widths of its links, summed.
    double noise_s2 = 0;      ///< Variance of the discrepancy by the regressions of its links.
};

/// Squared half widths of the links between two ranks, by way of the nearest rank that both learnt from.
/// `links_s2` has for each rank that of the link to its parent.
inline double path_s2(int single, int second, const std::vector<int>& parents,
                      const std::vector<double>& links_s2) {
    double sum_s2 = 0;
    while (single != second) {
        // A parent is always the smaller of the two.
        int& later = single > second ? single : second;
        sum_s2 += links_s2[static_cast<std::size_t>(later)];
        later = parents[static_cast<std::size_t>(later)];
    }
    return sum_s2;
}

/// Variance of an asymmetry over the squared half width of its bounds, from circles; what is not known of it
/// where there are few of them is part of it.
inline double asymmetry_of(const std::vector<Closure>& closures) {
    double squares_s2 = 0;
    double bounds_s2 = 0;
    for (const Closure& closure : closures) {
        squares_s2 += std::max(0.0, closure.discrepancy_s * closure.discrepancy_s - closure.noise_s2);
        bounds_s2 += closure.bounds_s2;
    }
    if (closures.empty() || bounds_s2 <= 0) {
        return unknown_asymmetry;
    }
    const double nu = static_cast<double>(closures.size());
    return std::min(largest_asymmetry, squares_s2 / bounds_s2 * student_inflation(nu));
}

} // namespace goodsyard
