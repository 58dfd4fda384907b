// Computing on a simulated machine: what ranks compute takes no simulated time, so programs count their
// operations and charge them at a rate that was measured on a real one.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace workloads {

/// Kinds of operations, each with a rate of its own. What one operation is: README.md, "calibrate".
enum class Work : int { comparison, move, hash, flop, random_access };

inline constexpr std::array<std::string_view, 5> work_names = {"comparison", "move", "hash", "flop",
                                                               "random_access"};

enum class ComputeMode : int {
    off,        ///< Computing takes no simulated time.
    fixed,      ///< 1 ns for every operation of any kind: the same everywhere, for ever.
    calibrated, ///< What `calibrate` measured on a machine, in harness/rates.json or in a file of the user's.
};

/// Seconds an operation, in the order of `Work`, and where they come from.
struct Rates {
    std::array<double, work_names.size()> seconds = {};
    std::string date; ///< Of the calibration; empty for fixed rates.
};

/// Read what `calibrate` has written. Raises std::runtime_error where it is another format or a kind is
/// missing.
Rates rates_from(const std::string& json);

/// The rates that come with the source (harness/rates.json).
Rates rates_of_the_source();

class Computation {
  public:
    /// Nothing is charged on a real machine, whose computing takes the time that it takes.
    ///
    /// `file` holds rates; empty: those of the source. Raises std::runtime_error where it cannot be read.
    Computation(ComputeMode mode, const std::string& file);

    /// Let `operations` of a kind pass on the simulated clock of this rank. Costs one call of the simulator:
    /// charge sums, not single operations.
    void charge(Work kind, double operations) const;

    /// Seconds that would be charged for them.
    [[nodiscard]] double seconds(Work kind, double operations) const {
        return operations * rates_.seconds[static_cast<std::size_t>(kind)];
    }

    /// `off`, `fixed`, or `calibrated` with its date; `real` on a real machine.
    [[nodiscard]] std::string label() const;

  private:
    ComputeMode mode_;
    Rates rates_;
};

} // namespace workloads
