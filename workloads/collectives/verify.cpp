#include "collectives/verify.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "mpi/check.hpp"

namespace workloads {

namespace {

constexpr double least_late_s = 200e-6;
constexpr double errors_late = 10; ///< Stated errors, which one in twenty exceeds, and none by so much.

/// The last rank comes late; whoever leaves long before that has not waited.
std::optional<std::string> left_too_early(Operation& barrier, const Timing& timing) {
    const World& world = timing.world;
    const Clock& clock = timing.clock;
    const double own_error_s = timing.model.error95_s(clock.now_s());
    double error_s = 0;
    check(MPI_Allreduce(&own_error_s, &error_s, 1, MPI_DOUBLE, MPI_MAX, world.handle()), "MPI_Allreduce");
    const double late_s = std::max(least_late_s, errors_late * error_s);
    const int late = world.size() - 1;
    if (world.rank() == late)
        clock.wait_until(clock.now_s() + late_s, timing.oversubscribed);
    double entered_s = timing.model.global_s(clock.now_s());
    barrier.run();
    const double left_s = timing.model.global_s(clock.now_s());
    check(MPI_Bcast(&entered_s, 1, MPI_DOUBLE, late, world.handle()), "MPI_Bcast");
    if (left_s >= entered_s - late_s / 2)
        return std::nullopt;
    return "left " + std::to_string((entered_s - left_s) * 1e6) + " us before the last rank came";
}

} // namespace

void verify(Operation& operation, Op op, const Timing& timing) {
    const World& world = timing.world;
    std::optional<std::string> wrong;
    if (op == Op::barrier) {
        wrong = left_too_early(operation, timing);
    } else {
        operation.spoil();
        operation.run();
        wrong = operation.wrong();
    }
    int rank = wrong ? world.rank() : world.size();
    int first = 0;
    check(MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, world.handle()), "MPI_Allreduce");
    if (first == world.size())
        return;
    throw std::runtime_error(name_of(op) + " is wrong on rank " + std::to_string(first) +
                             (wrong && first == world.rank() ? ": " + *wrong : std::string()));
}

} // namespace workloads
