// A barrier before each repetition, as most benchmarks do. Ranks leave a barrier one after the other, in an
// order that the operation then meets: here to show what that does (decisions/040-collectives.md). For
// one process alone it is all that starting takes.
#pragma once

#include "harness/synchroniser.hpp"

namespace goodsyard {

class BarrierSync final : public Synchroniser {
  public:
    explicit BarrierSync(const Starting& starting) : starting_(starting) {}

    Batch run(Operation& operation, int count) override {
        Notes notes(starting_, operation, count);
        for (int i = 0; i < count; ++i) {
            notes.prepare();
            starting_.team.barrier();
            const Ran ran = timed_run(operation, starting_.clock);
            notes.add(ran, Spoilt::no);
        }
        return notes.collect();
    }

    [[nodiscard]] double window_s() const override { return 0; }

  private:
    const Starting& starting_;
};

} // namespace goodsyard
