// Computing on a simulated machine: what ranks compute takes no simulated time, so programs count their
// operations and charge them at a rate that was measured on a real one.
#pragma once

#include <cstdint>
#include <string>

#include "harness/rates.hpp"

namespace goodsyard {

enum class ComputeMode : int {
    off,   ///< Computing takes no simulated time.
    fixed, ///< 1 ns for every operation of any kind, and nothing for reads: the same everywhere, for ever.
    calibrated, ///< What `calibrate` measured on a machine, in harness/rates.json or in a file of the user's.
};

/// Whether this program runs on a simulated machine: for what is compiled once for both, and so may not
/// include harness/simulated.hpp.
[[nodiscard]] bool machine_is_simulated();

/// Whether ranks that wait do so in MPI unless asked otherwise: to a simulator of MPI every look for messages
/// is dear.
[[nodiscard]] bool machine_waits_in_mpi();

class Computation {
  public:
    /// Nothing is charged on a real machine, whose computing takes the time that it takes.
    ///
    /// `file` holds rates; empty: those of the source. Every operation takes `times` as long. Raises
    /// std::runtime_error where the file cannot be read.
    Computation(ComputeMode mode, const std::string& file, double times = 1);

    /// Let `operations` of a kind pass on the simulated clock of this rank. Costs one call of the simulator:
    /// charge sums, not single operations.
    void charge(Work kind, double operations) const { pass(seconds(kind, operations)); }
    /// Let time pass on that clock.
    void pass(double duration_s) const;

    /// Seconds that would be charged for them.
    [[nodiscard]] double seconds(Work kind, double operations) const {
        return operations * rates_.seconds[static_cast<std::size_t>(kind)];
    }

    /// Seconds that would be charged for reads of a table of so many bytes, beyond the nearest cache.
    [[nodiscard]] double read_seconds(ReadOrder order, std::uint64_t table_bytes, double reads) const {
        return reads * rates_.reads.seconds(order, table_bytes);
    }

    /// `off`, `fixed`, or `calibrated` with its date, and how many times as long; `real` on a real machine.
    [[nodiscard]] std::string label() const;

  private:
    ComputeMode mode_;
    double times_;
    Rates rates_;
};

} // namespace goodsyard
