// What the objects of one kind took, each and once in a while.
//
// Libraries take objects from pools. What an object costs in the long run is a mean, since the piece that
// every other object needs is half of it for each; a pool that grows for a thousand objects falls on one of a
// few dozen and would drown that mean. So growth of more than ten times the median is counted apart.
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

namespace goodsyard {

struct Growth {
    double median_bytes = 0; ///< The lower one of an even number: a value that occurred.
    double mean_bytes = 0;   ///< Without jumps.
    double jump_bytes = 0;   ///< Of the largest above the median.
    int jumps = 0;           ///< Objects at which more than `pool_factor` times a median above 0 was taken.
};

inline constexpr double pool_factor = 10;

/// `bytes` of each object, `allocations` of all. Nothing where there was no allocation at all: no object
/// takes no memory, so it was taken where this cannot be seen.
inline std::optional<Growth> growth(std::vector<double> bytes, long long allocations) {
    if (bytes.empty()) {
        throw std::invalid_argument("no objects");
    }
    if (allocations <= 0) {
        return std::nullopt;
    }
    std::sort(bytes.begin(), bytes.end());
    Growth result;
    result.median_bytes = bytes[(bytes.size() - 1) / 2];
    result.jump_bytes = bytes.back() - result.median_bytes;
    double sum = 0;
    for (const double single : bytes) {
        // Where half of them took nothing, there is nothing to be ten times as large as: the mean is of all.
        if (result.median_bytes > 0 && single > pool_factor * result.median_bytes) {
            ++result.jumps;
        } else {
            sum += single;
        }
    }
    result.mean_bytes = sum / static_cast<double>(bytes.size() - static_cast<std::size_t>(result.jumps));
    return result;
}

} // namespace goodsyard
