// One operation from warm-up to result: repeat until the reported quantile is known, time or number run out.
#pragma once

#include <vector>

#include "collectives/batch.hpp"

namespace workloads {

/// Filled on rank 0.
struct Measured {
    std::vector<double> latency_s; ///< Valid repetitions, in order: the maximum over ranks.
    std::vector<double>
        of_ranks_s;           ///< Every rank's value of them, repetition by repetition; where asked for.
    int spoilt = 0;           ///< Repetitions that were thrown away and made again.
    double window_s = 0;      ///< The last window.
    double clock_error_s = 0; ///< Half the 95 % interval of the worst clock, when the last batch ended.
};

/// Collective. Raises std::runtime_error where a result is wrong or no repetition is valid within the budget.
Measured measure(Operation& operation, Op op, const Options& options, const World& world, const Clock& clock,
                 bool oversubscribed);

} // namespace workloads
