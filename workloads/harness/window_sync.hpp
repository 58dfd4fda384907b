// Windows: rank 0 announces when the first repetition starts and how far apart the starts are; every rank
// waits for each on its own clock. Nothing is sent in between, so that all begin together and none is ahead
// of the others by what the operation before did to it.
//
// Hoefler, Schneider, Lumsdaine: Accurately measuring collective operations at massive scale, IPDPS 2008,
// DOI 10.1109/IPDPS.2008.4536494. Windows follow a quantile of what is needed, in both directions
// (decisions/071-begin-against-start.md).
#pragma once

#include "harness/synchroniser.hpp"
#include "harness/window.hpp"

namespace goodsyard {

class WindowSync final : public Synchroniser {
  public:
    /// `budget_s`: a window that would have to be longer than this is given up.
    WindowSync(const Starting& starting, double first_window_s, double longest_s, double budget_s)
        : starting_(starting), window_(first_window_s, longest_s), longest_window_s_(budget_s) {}

    /// Raises SharedFailure where no window is long enough.
    Batch run(Operation& operation, int count) override;

    [[nodiscard]] double window_s() const override { return window_.length_s(); }

  private:
    const Starting& starting_;
    Window window_;
    double longest_window_s_;
};

} // namespace goodsyard
