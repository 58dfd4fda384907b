// How splitters are chosen, apart from communication.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sorting/position.hpp"

namespace goodsyard::sorting {

/// A place in a rank's block that stands for `weight` items; weight 0 where the block is empty.
struct Sample {
    Position at;
    std::uint64_t weight = 0;
};

/// p − 1 splitters from all samples, in place: where the summed weight first exceeds its j-th p-th.
inline std::vector<Position> choose_splitters(std::vector<Sample>& samples, int ranks) {
    std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.at < b.at; });
    double total = 0;
    for (const Sample& sample : samples) {
        total += static_cast<double>(sample.weight);
    }
    std::vector<Position> splitters;
    double sum = 0;
    auto at = samples.begin();
    for (int j = 1; j < ranks; ++j) {
        const double target = total * j / ranks;
        while (at != samples.end() && sum + static_cast<double>(at->weight) <= target) {
            sum += static_cast<double>(at->weight);
            ++at;
        }
        splitters.push_back(at == samples.end() ? samples.back().at : at->at);
    }
    return splitters;
}

/// Where in a block a splitter can lie.
struct SearchWindow {
    std::uint64_t target = 0; ///< items of all ranks that belong to the left
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool found = false; ///< then the cut is at `low`

    /// `own` items of this block and `all` of all ranks come before the pivot, which is this rank's if
    /// `is_own`.
    void narrow(std::uint64_t local, std::uint64_t all, bool is_own) {
        if (all >= target) {
            high = local;
        }
        if (all <= target) {
            low = local;
        }
        if (all < target) { // The pivot itself belongs to the left.
            low = local + (is_own ? 1 : 0);
        }
        found = all == target || all + 1 == target;
    }
};

/// The middle of a rank's window, which stands for `weight` items.
struct WeightedPivot {
    Position at;
    std::uint64_t weight = 0;
};

/// The weighted median: of the total weight, at most half is before it and at most half behind.
inline Position weighted_median(std::vector<WeightedPivot>& pivots) {
    std::erase_if(pivots, [](const WeightedPivot& weighted_pivot) { return weighted_pivot.weight == 0; });
    if (pivots.empty()) {
        return {};
    }
    std::sort(pivots.begin(), pivots.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    const std::uint64_t total =
        std::accumulate(pivots.begin(), pivots.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& value) { return sum + value.weight; });
    std::uint64_t sum = 0;
    for (const WeightedPivot& weighted_pivot : pivots) {
        sum += weighted_pivot.weight;
        if (2 * sum >= total) {
            return weighted_pivot.at;
        }
    }
    return pivots.back().at;
}

} // namespace goodsyard::sorting
