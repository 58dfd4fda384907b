// Round time: before each repetition a barrier, then rank 0 names a start some broadcasts ahead. Costs more
// than windows and needs no guess of how long the operation takes: what comes late spoils one repetition
// only.
//
// Hunold and Carpen-Amarie, CLUSTER 2018, DOI 10.1109/CLUSTER.2018.00050, section V.
#pragma once

#include "harness/synchroniser.hpp"

namespace goodsyard {

class RoundTimeSync final : public Synchroniser {
  public:
    RoundTimeSync(const Starting& starting, double factor, double budget_s);

    /// Raises SharedFailure where no round is long enough.
    Batch run(Operation& operation, int count) override;

    [[nodiscard]] double window_s() const override { return ahead_s_; }

  private:
    const Starting& starting_;
    double longest_ahead_s_;
    double ahead_s_;
};

} // namespace goodsyard
