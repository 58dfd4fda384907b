// Some repetitions in a row: what a rank notes of them, and what the root makes of all ranks' notes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/operation.hpp"

namespace goodsyard {

/// One phase of one repetition, over all ranks.
struct PhaseTotals {
    PhaseValues sum;     ///< Over ranks; its time is unused.
    PhaseValues largest; ///< Of any rank, member by member.
};

/// Why a repetition does not count. Of several ranks' reasons the largest is kept.
enum class Spoilt : int {
    no,
    began_late, ///< A rank was ready, and yet began later than its clock can be wrong: it had lost its CPU.
    not_ready,  ///< A rank came after the start, or ended after the next: starts are too close to each other.
};

/// What a batch gave; filled on rank 0.
struct Batch {
    std::vector<double> longest_s;  ///< Of each repetition, the maximum over ranks of end - start.
    std::vector<int> spoilt;        ///< Of each repetition, its `Spoilt`.
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

/// Whether a rank began later than its clock can be wrong, and than reading it takes. Never on an
/// oversubscribed machine: there ranks begin one after the other, and what is measured is called so.
inline bool began_late(const Starting& starting, double start_s, double begin_s) {
    constexpr double readings_s = 200e-9; // Some five of a clock, the last of which ends the wait.
    return !starting.oversubscribed &&
           starting.model.global_s(begin_s) - start_s > starting.model.error95_s(begin_s) + readings_s;
}

/// What one rank notes of a batch.
class Notes {
  public:
    Notes(const Starting& starting, Operation& operation, int count);

    /// Before a repetition: what is not timed is done, and what it counted is dropped.
    void prepare();

    /// After a repetition. Collective where every outcome is checked.
    void add(const Ran& ran, Spoilt spoilt);

    /// Bring the notes of all ranks to rank 0. Collective.
    ///
    /// Raises SharedFailure where an outcome is wrong.
    [[nodiscard]] Batch collect() const;

  private:
    const Starting& starting_;
    Operation& operation_;
    std::vector<double> took_s_;
    std::vector<int> spoilt_;         ///< As MPI takes it.
    std::vector<PhaseValues> phases_; ///< Phase by phase of one repetition after the other.
    std::optional<std::string> wrong_;
};

} // namespace goodsyard
