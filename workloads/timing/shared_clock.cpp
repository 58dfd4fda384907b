#include "timing/shared_clock.hpp"

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

ClockModel synchronise(const World& world, const Clock& clock, ClockMethod method,
                       const ClockEffort& effort) {
    ClockModel model;
    if (method == ClockMethod::one)
        return model;
    const int bursts = method == ClockMethod::hca3 ? effort.bursts : 1;
    for (const auto& round : clock_rounds(world.size()))
        for (const ClockPair& pair : round) {
            if (pair.parent == world.rank()) {
                check(MPI_Send(&model, sizeof model, MPI_BYTE, pair.child, model_tag, world.handle()),
                      "MPI_Send");
                answer(clock, model, pair.child, bursts * effort.exchanges, world.handle());
            } else if (pair.child == world.rank()) {
                model = learn(clock, pair.parent, bursts, effort, world.handle());
            }
        }
    return model;
}

double largest_error95_s(const World& world, const Clock& clock, const ClockModel& model, double ahead_s) {
    const double own_s = model.error95_s(clock.now_s() + ahead_s);
    double largest_s = 0;
    check(MPI_Reduce(&own_s, &largest_s, 1, MPI_DOUBLE, MPI_MAX, 0, world.handle()), "MPI_Reduce");
    return largest_s;
}

} // namespace workloads
