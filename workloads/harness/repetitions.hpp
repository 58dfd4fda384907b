// Which repetitions are kept, and how many come next. Needs no MPI.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/batch.hpp"
#include "harness/settings.hpp"

namespace goodsyard {

/// What an operation took; filled on rank 0.
struct Measured {
    std::vector<double> longest_s; ///< Valid repetitions, in order: the maximum over ranks.
    std::vector<double>
        of_ranks_s; ///< Every rank's value of them, repetition by repetition; where asked for.
    std::vector<std::vector<PhaseTotals>> phases; ///< Of them, repetition by repetition.
    std::vector<Fact> facts;                      ///< Of the last repetition.
    int spoilt = 0;                               ///< Repetitions that were thrown away and made again.
    double window_s = 0;                          ///< The last window.
    double clock_drift_s = 0; ///< How far the worst clock was from its model, when the last batch ended.
    double clock_error_s = 0; ///< Half the 95 % interval of the worst clock then, and at least that.
};

/// Add the valid repetitions of a batch of `ranks` ranks, and count the others.
void keep_valid(const Batch& batch, std::size_t ranks, Measured& measured);

/// Whether the 95 % interval of the quantile is as narrow as asked for.
bool precise_enough(std::vector<double> values_s, const Settings& settings);

/// How many repetitions come next; 0 where it is enough. `one_s` is what one was seen to take: a batch does
/// not go far beyond the budget.
int next_batch(const Measured& measured, const Settings& settings, double spent_s, double one_s);

} // namespace goodsyard
