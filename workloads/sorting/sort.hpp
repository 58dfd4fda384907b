// The interface of all parallel sorts.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <vector>

#include "harness/computation.hpp"
#include "harness/phases.hpp"
#include "mpi/handles.hpp"
#include "sorting/item.hpp"
#include "sorting/parameters.hpp"
#include "sorting/rank_range.hpp"
#include "sorting/traffic.hpp"

namespace goodsyard::sorting {

/// A sort of the items of all ranks of a communicator: afterwards each rank's block is sorted, and no item of
/// a rank belongs before one of an earlier rank. Blocks may be empty.
template <class Item>
class Sort {
  public:
    /// Collective: its messages are on a duplicate of `comm`, and so are received by no other operation.
    Sort(MPI_Comm comm, Phases& phases, const Computation& computation, const Parameters& parameters)
        : comm_(duplicate(comm)), traffic_(comm_.get(), phases), phases_(phases), computation_(computation),
          parameters_(parameters) {}
    virtual ~Sort() = default;
    Sort(const Sort&) = delete;
    Sort& operator=(const Sort&) = delete;

    /// Replace the block of this rank by its block of the sorted sequence. Collective.
    virtual void run(std::vector<Item>& block) = 0;

    /// Steps of the search for splitters, passes over digits, or levels of recursion of the last run, at most
    /// over ranks' own.
    [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

    /// What the exchange of a pass over a digit keeps beside the items themselves, in bytes, at most over
    /// passes of all runs: counts, slots, requests, and what says where a piece belongs. 0 of sorts that have
    /// no digits.
    [[nodiscard]] std::uint64_t step_bytes() const { return step_bytes_; }

  protected:
    /// Count operations of a phase, and let them take their time on a simulated machine.
    void compute(std::size_t phase, Work kind, double operations) const {
        phases_.count_operations(phase, static_cast<std::uint64_t>(operations));
        computation_.charge(kind, operations);
    }
    /// The element-wise sums over all ranks before this one.
    [[nodiscard]] std::vector<std::uint64_t> sum_before(std::size_t phase,
                                                        const std::vector<std::uint64_t>& values) const {
        return parameters_.scan == Scan::library
                   ? traffic_.exscan(phase, values)
                   : RankRange(traffic_, phase, 0, traffic_.size() - 1).sum_before(values);
    }
    /// n log2 n, the comparisons of a sort; 0 for none.
    static double comparisons_of_sort(std::size_t n) {
        return n < 2 ? 0 : static_cast<double>(n) * std::log2(static_cast<double>(n));
    }

    OwnedComm comm_;
    Traffic traffic_;
    Phases& phases_;
    const Computation& computation_;
    Parameters parameters_;
    std::uint64_t rounds_ = 0;
    std::uint64_t step_bytes_ = 0;
};

/// The sort that is asked for; adds its phases. Collective. Item is Key or Record.
template <class Item>
std::unique_ptr<Sort<Item>> make_sort(MPI_Comm comm, Phases& phases, const Computation& computation,
                                      const Parameters& parameters);

} // namespace goodsyard::sorting
