// A barrier before each repetition, as most benchmarks do. Ranks leave a barrier one after the other, in an
// order that the operation then meets: here to show what that does (docs/decisions/040-collectives.md).
#pragma once

#include <utility>

#include "collectives/batch.hpp"
#include "mpi/check.hpp"

namespace workloads {

class BarrierSync final : public Synchroniser {
  public:
    explicit BarrierSync(Timing timing) : timing_(std::move(timing)) {}

    Batch run(Operation& operation, int count) override {
        std::vector<double> took_s(static_cast<std::size_t>(count));
        for (double& one_s : took_s) {
            check(MPI_Barrier(timing_.world.handle()), "MPI_Barrier");
            const double begin_s = timing_.clock.now_s();
            operation.run();
            one_s = timing_.clock.now_s() - begin_s;
        }
        return collect(timing_, took_s, std::vector<int>(took_s.size()));
    }

    [[nodiscard]] double window_s() const override { return 0; }

  private:
    Timing timing_;
};

} // namespace workloads
