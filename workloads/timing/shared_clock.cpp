#include "timing/shared_clock.hpp"

#include <array>
#include <cmath>
#include <sys/stat.h>
#include <vector>

#include "mpi/check.hpp"
#include "timing/clock_closure.hpp"
#include "timing/clock_tree.hpp"
#include "timing/ping_pong.hpp"

namespace goodsyard {

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
    for (int i = 0; i < exchanges; ++i) {
        double sent_s = 0;
        check(MPI_Recv(&sent_s, 1, MPI_DOUBLE, child, ping_tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
        const double now_s = model.global_s(clock.now_s());
        check(MPI_Send(&now_s, 1, MPI_DOUBLE, child, ping_tag, comm), "MPI_Send");
    }
}

#ifndef GOODSYARD_SIMULATED
/// Which clock CLOCK_MONOTONIC is: processes of one host read different ones in different time namespaces
/// (time_namespaces(7)). 0 where the kernel has none.
unsigned long long time_namespace() {
    struct stat status{};
    return stat("/proc/self/ns/time", &status) == 0 ? status.st_ino : 0;
}

bool read_one_clock(const World& world) {
    const unsigned long long local = time_namespace();
    // The largest of x and of ~x are those of all ranks only where all have the same.
    const std::array<unsigned long long, 2> both = {local, ~local};
    std::array<unsigned long long, 2> largest = {};
    check(MPI_Allreduce(both.data(), largest.data(), 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, comm_of(world)),
          "MPI_Allreduce");
    return world.ranks_of_host() == world.size() && largest[0] == ~largest[1];
}
#endif

/// A model, and the squared half width of the last link alone.
struct Learnt {
    ClockModel model;
    double link_s2 = 0;
};

Learnt learn(const Clock& clock, int parent, int bursts, const ClockEffort& effort, MPI_Comm comm) {
    ClockModel of_parent;
    check(MPI_Recv(&of_parent, sizeof of_parent, MPI_BYTE, parent, model_tag, comm, MPI_STATUS_IGNORE),
          "MPI_Recv");
    std::vector<OffsetBounds> result;
    const double start_s = clock.now_s();
    for (int i = 0; i < bursts; ++i) {
        clock.wait_until(start_s + i * effort.spacing_s, true);
        result.push_back(bound_offset(effort.exchanges, [&] { return ask(clock, parent, comm); }));
    }
    const ClockModel model = fit_clock(result, of_parent);
    return {model, model.bounds_s2 - of_parent.bounds_s2};
}

/// By how much the clock of a rank that answers differs from what `model` says of it.
Closure compare(const Clock& clock, const ClockModel& model, int second, int exchanges, MPI_Comm comm) {
    const OffsetBounds result = bound_offset(exchanges, [&] { return ask(clock, second, comm); });
    return {result.at_s + result.offset_s - model.global_s(result.at_s),
            result.half_width_s * result.half_width_s, model.variance_s2(result.at_s)};
}

/// What two ways differ by here, from circles of clocks (clock_closure.hpp). Collective.
double find_asymmetry(const World& world, const Clock& clock, const Learnt& local, int exchanges) {
    // What this rank knows of its link, and of the circle that it closes or is asked for.
    std::array<double, 4> result = {local.link_s2, 0, 0, local.model.variance_s2(clock.now_s())};
    const std::vector<ClockPair> pairs = closing_pairs(world.size());
    for (const ClockPair& pair : pairs) {
        if (pair.parent == world.rank()) {
            answer(clock, local.model, pair.child, exchanges, comm_of(world));
        } else if (pair.child == world.rank()) {
            const Closure direct = compare(clock, local.model, pair.parent, exchanges, comm_of(world));
            result[1] = direct.discrepancy_s;
            result[2] = direct.bounds_s2;
            result[3] = direct.noise_s2;
        }
    }
    std::vector<std::array<double, 4>> of_all(world.is_root() ? static_cast<std::size_t>(world.size()) : 0);
    check(MPI_Gather(result.data(), 4, MPI_DOUBLE, of_all.data(), 4, MPI_DOUBLE, 0, comm_of(world)),
          "MPI_Gather");
    double asymmetry = 0;
    if (world.is_root()) {
        const std::vector<int> parents = clock_parents(world.size());
        std::vector<double> links_s2;
        for (const auto& of_rank : of_all) {
            links_s2.push_back(of_rank[0]);
        }
        std::vector<Closure> closures;
        for (const ClockPair& pair : pairs) {
            const auto& asking = of_all[static_cast<std::size_t>(pair.child)];
            const auto& request = of_all[static_cast<std::size_t>(pair.parent)];
            closures.push_back({asking[1], asking[2] + path_s2(pair.parent, pair.child, parents, links_s2),
                                asking[3] + request[3]});
        }
        asymmetry = asymmetry_of(closures);
    }
    world.broadcast(asymmetry);
    return asymmetry;
}

} // namespace

ClockMethod chosen(ClockMethod method, [[maybe_unused]] const World& world,
                   [[maybe_unused]] const Clock& clock) {
    if (method != ClockMethod::automatic) {
        return method;
    }
#ifdef GOODSYARD_SIMULATED
    return ClockMethod::one;
#else
    // Each process finds the origin and the rate of its cycles by itself.
    const bool single = clock.timer() == Timer::monotonic && read_one_clock(world);
    return single ? ClockMethod::one : ClockMethod::hca3;
#endif
}

ClockModel synchronise(const World& world, const Clock& clock, ClockMethod method,
                       const ClockEffort& effort) {
    Learnt local;
    if (method == ClockMethod::one) {
        return local.model;
    }
    const int bursts = method == ClockMethod::hca3 ? effort.bursts : 1;
    for (const auto& round : clock_rounds(world.size())) {
        for (const ClockPair& pair : round) {
            if (pair.parent == world.rank()) {
                check(MPI_Send(&local.model, sizeof local.model, MPI_BYTE, pair.child, model_tag,
                               comm_of(world)),
                      "MPI_Send");
                answer(clock, local.model, pair.child, bursts * effort.exchanges, comm_of(world));
            } else if (pair.child == world.rank()) {
                local = learn(clock, pair.parent, bursts, effort, comm_of(world));
            }
        }
    }
    local.model.asymmetry = find_asymmetry(world, clock, local, closing_effort * effort.exchanges);
    return local.model;
}

double clock_drift_s(const World& world, const Clock& clock, const ClockModel& model, ClockMethod method,
                     const ClockEffort& effort) {
    if (method == ClockMethod::one) {
        return 0;
    }
    double drift_s = 0;
    for (const auto& round : clock_rounds(world.size())) {
        for (const ClockPair& pair : round) {
            if (pair.parent == world.rank()) {
                answer(clock, model, pair.child, effort.exchanges, comm_of(world));
            } else if (pair.child == world.rank()) {
                const Closure result = compare(clock, model, pair.parent, effort.exchanges, comm_of(world));
                drift_s = std::abs(result.discrepancy_s);
            }
        }
    }
    return drift_s;
}

} // namespace goodsyard
