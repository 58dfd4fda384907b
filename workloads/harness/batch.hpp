// Some repetitions in a row: what a rank notes of them, and what the root makes of all ranks' notes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/operation.hpp"

namespace workloads {

/// One phase of one repetition, over all ranks.
struct PhaseTotals {
    PhaseValues sum;     ///< Over ranks; its time is unused.
    PhaseValues largest; ///< Of any rank, member by member.
};

/// What a batch gave; filled on rank 0.
struct Batch {
    std::vector<double> longest_s;  ///< Of each repetition, the maximum over ranks of end - start.
    std::vector<int> spoilt;        ///< Not 0 where a rank came late or ended after its window.
    std::vector<double> of_ranks_s; ///< Repetition by repetition, every rank's value; empty unless asked for.
    std::vector<std::vector<PhaseTotals>> phases; ///< Repetition by repetition, where there are phases.
};

/// Begin and end of one run, on the rank's own clock.
struct Ran {
    double begin_s = 0;
    double end_s = 0;
};

inline Ran timed_run(Operation& operation, const Clock& clock) {
    Ran ran;
    ran.begin_s = clock.now_s();
    operation.run();
    ran.end_s = clock.now_s();
    return ran;
}

/// What one rank notes of a batch.
class Notes {
  public:
    Notes(const Starting& starting, Operation& operation, int count);

    /// Before a repetition: what is not timed is done, and what it counted is dropped.
    void prepare();

    /// After a repetition. Collective where every outcome is checked.
    void add(const Ran& ran, bool spoilt);

    /// Bring the notes of all ranks to rank 0. Collective.
    ///
    /// Raises SharedFailure where an outcome is wrong.
    [[nodiscard]] Batch collect() const;

  private:
    const Starting& starting_;
    Operation& operation_;
    std::vector<double> took_s_;
    std::vector<int> spoilt_;
    std::vector<PhaseValues> phases_; ///< Phase by phase of one repetition after the other.
    std::optional<std::string> wrong_;
};

} // namespace workloads
