// What benchmarks report that keep no repetitions: the mean of every rank, over which they then take the mean
// or the maximum. Here to be set beside them, and beside the quantile of what the slowest rank took each
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace goodsyard {

struct RankMeans {
    double all_s = 0;     ///< Over repetitions and ranks.
    double slowest_s = 0; ///< The largest of the ranks' means over repetitions.
};

/// `of_ranks_s` holds every rank's value of one repetition after the other.
inline RankMeans rank_means(const std::vector<double>& of_ranks_s, std::size_t repetitions) {
    if (repetitions == 0 || of_ranks_s.size() % repetitions != 0) {
        throw std::invalid_argument("means need whole repetitions");
    }
    const std::size_t ranks = of_ranks_s.size() / repetitions;
    RankMeans means;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        double sum_s = 0;
        for (std::size_t i = rank; i < of_ranks_s.size(); i += ranks) {
            sum_s += of_ranks_s[i];
        }
        const double mean_s = sum_s / static_cast<double>(repetitions);
        means.all_s += mean_s / static_cast<double>(ranks);
        means.slowest_s = std::max(means.slowest_s, mean_s);
    }
    return means;
}

} // namespace goodsyard
