#include "timing/shared_clock.hpp"

#include <array>
#include <sys/stat.h>
#include <vector>

#include "mpi/check.hpp"
#include "timing/clock_tree.hpp"
#include "timing/ping_pong.hpp"

namespace workloads {

namespace {

constexpr int ping_tag = 71;
constexpr int model_tag = 72;

/// The child's side of one exchange.
Exchange ask(const Clock& clock, int parent, MPI_Comm comm) {
    Exchange exchange;
    exchange.sent_s = clock.now_s();
    check(MPI_Send(&exchange.sent_s, 1, MPI_DOUBLE, parent, ping_tag, comm), "MPI_Send");
    check(MPI_Recv(&exchange.answered_s, 1, MPI_DOUBLE, parent, ping_tag, comm, MPI_STATUS_IGNORE),
          "MPI_Recv");
    exchange.received_s = clock.now_s();
    return exchange;
}

void answer(const Clock& clock, const ClockModel& model, int child, int exchanges, MPI_Comm comm) {
    for (int i = 0; i < exchanges; i++) {
        double sent_s = 0;
        check(MPI_Recv(&sent_s, 1, MPI_DOUBLE, child, ping_tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
        const double now_s = model.global_s(clock.now_s());
        check(MPI_Send(&now_s, 1, MPI_DOUBLE, child, ping_tag, comm), "MPI_Send");
    }
}

#ifndef WORKLOADS_SIMULATED
/// Which clock CLOCK_MONOTONIC is: processes of one host read different ones in different time namespaces
/// (time_namespaces(7)). 0 where the kernel has none.
unsigned long long time_namespace() {
    struct stat status{};
    return stat("/proc/self/ns/time", &status) == 0 ? status.st_ino : 0;
}

bool read_one_clock(const World& world) {
    const unsigned long long own = time_namespace();
    // The largest of x and of ~x are those of all ranks only where all have the same.
    const std::array<unsigned long long, 2> both = {own, ~own};
    std::array<unsigned long long, 2> largest = {};
    check(MPI_Allreduce(both.data(), largest.data(), 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, world.handle()),
          "MPI_Allreduce");
    return world.ranks_of_host() == world.size() && largest[0] == ~largest[1];
}
#endif

ClockModel learn(const Clock& clock, int parent, int bursts, const ClockEffort& effort, MPI_Comm comm) {
    ClockModel of_parent;
    check(MPI_Recv(&of_parent, sizeof of_parent, MPI_BYTE, parent, model_tag, comm, MPI_STATUS_IGNORE),
          "MPI_Recv");
    std::vector<OffsetBounds> found;
    const double start_s = clock.now_s();
    for (int i = 0; i < bursts; i++) {
        clock.wait_until(start_s + i * effort.spacing_s, true);
        found.push_back(bound_offset(effort.exchanges, [&] { return ask(clock, parent, comm); }));
    }
    return fit_clock(found, of_parent);
}

} // namespace

ClockMethod chosen(ClockMethod method, [[maybe_unused]] const World& world,
                   [[maybe_unused]] const Clock& clock) {
    if (method != ClockMethod::automatic) {
        return method;
    }
#ifdef WORKLOADS_SIMULATED
    return ClockMethod::one;
#else
    // Each process finds the origin and the rate of its cycles by itself.
    const bool one = clock.timer() == Timer::monotonic && read_one_clock(world);
    return one ? ClockMethod::one : ClockMethod::hca3;
#endif
}

ClockModel synchronise(const World& world, const Clock& clock, ClockMethod method,
                       const ClockEffort& effort) {
    ClockModel model;
    if (method == ClockMethod::one) {
        return model;
    }
    const int bursts = method == ClockMethod::hca3 ? effort.bursts : 1;
    for (const auto& round : clock_rounds(world.size())) {
        for (const ClockPair& pair : round) {
            if (pair.parent == world.rank()) {
                check(MPI_Send(&model, sizeof model, MPI_BYTE, pair.child, model_tag, world.handle()),
                      "MPI_Send");
                answer(clock, model, pair.child, bursts * effort.exchanges, world.handle());
            } else if (pair.child == world.rank()) {
                model = learn(clock, pair.parent, bursts, effort, world.handle());
            }
        }
    }
    return model;
}

} // namespace workloads
