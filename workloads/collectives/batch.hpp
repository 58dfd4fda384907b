// Some repetitions in a row, started together in one of three ways.
#pragma once

#include <memory>
#include <vector>

#include "collectives/operation.hpp"
#include "collectives/options.hpp"
#include "timing/clock_model.hpp"

namespace workloads {

/// What a batch gave; filled on rank 0.
struct Batch {
    std::vector<double> longest_s;  ///< Of each repetition, the maximum over ranks of end - start.
    std::vector<int> spoilt;        ///< Not 0 where a rank came late or ended after its window.
    std::vector<double> of_ranks_s; ///< Repetition by repetition, every rank's value; empty unless asked for.
};

/// What every way of starting needs.
struct Timing {
    const World& world;
    const Clock& clock;
    ClockModel model;
    bool oversubscribed = false; ///< More ranks than CPUs: nobody may keep one while he waits.
    bool raw = false;
};

class Synchroniser {
  public:
    virtual ~Synchroniser() = default;

    /// Run and time `count` repetitions. Collective.
    virtual Batch run(Operation& operation, int count) = 0;

    /// The window, or what comes nearest to it: time between two starts; 0 where there is none.
    [[nodiscard]] virtual double window_s() const = 0;
};

/// `longest_s` is what one run was seen to take, `first_window_s` the user's wish or 0.
std::unique_ptr<Synchroniser> make_synchroniser(const Options& options, Timing timing, double longest_s);

/// Bring what the ranks noted to rank 0. Collective.
Batch collect(const Timing& timing, const std::vector<double>& own_s, const std::vector<int>& own_spoilt);

} // namespace workloads
