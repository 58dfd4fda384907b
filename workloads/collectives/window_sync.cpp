#include "collectives/window_sync.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "mpi/check.hpp"

namespace workloads {

namespace {

constexpr double shortest_window_s = 20e-6; ///< Below, waiting is as long as what is measured.
constexpr double room = 8;                  ///< First window over the time that one run was seen to take.
constexpr double shortest_lead_s = 200e-6;  ///< From the announcement to the first start.
constexpr double flawed_share = 0.25;       ///< So many spoilt repetitions of a batch widen the window.

struct Announcement {
    double start_s = 0;
    double window_s = 0;
};

} // namespace

WindowSync::WindowSync(Timing timing, double first_window_s, double longest_s, double budget_s)
    : timing_(std::move(timing)),
      window_s_(first_window_s > 0 ? first_window_s : std::max(shortest_window_s, room * longest_s)),
      lead_s_(std::max(shortest_lead_s, room * longest_s)), longest_window_s_(budget_s) {}

Batch WindowSync::run(Operation& operation, int count) {
    const Clock& clock = timing_.clock;
    Announcement next{timing_.model.global_s(clock.now_s()) + lead_s_, window_s_};
    check(MPI_Bcast(&next, sizeof next, MPI_BYTE, 0, timing_.world.handle()), "MPI_Bcast");
    if (next.window_s > longest_window_s_)
        throw std::runtime_error("no window is long enough: repetitions are still spoilt at " +
                                 std::to_string(next.window_s) + " s, and the time budget is " +
                                 std::to_string(longest_window_s_) + " s; give more time (--budget)");
    std::vector<double> took_s(static_cast<std::size_t>(count));
    std::vector<int> spoilt(took_s.size());
    double last_end_s = 0;
    for (std::size_t i = 0; i < took_s.size(); i++) {
        const double start_s = next.start_s + static_cast<double>(i) * next.window_s;
        const double own_start_s = timing_.model.local_s(start_s);
        const bool late = clock.now_s() > own_start_s;
        clock.wait_until(own_start_s, timing_.oversubscribed);
        const double begin_s = clock.now_s();
        operation.run();
        const double end_s = clock.now_s();
        took_s[i] = end_s - begin_s;
        last_end_s = std::max(last_end_s, timing_.model.global_s(end_s) - start_s);
        spoilt[i] = late || timing_.model.global_s(end_s) > start_s + next.window_s;
    }
    double slowest_s = 0;
    check(MPI_Reduce(&last_end_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, 0, timing_.world.handle()),
          "MPI_Reduce");
    Batch batch = collect(timing_, took_s, spoilt);
    if (timing_.world.is_root())
        adapt(batch, slowest_s);
    return batch;
}

void WindowSync::adapt(const Batch& batch, double last_end_s) {
    const auto flawed = static_cast<double>(
        std::count_if(batch.spoilt.begin(), batch.spoilt.end(), [](int s) { return s != 0; }));
    if (flawed < flawed_share * static_cast<double>(batch.spoilt.size()))
        return;
    // The first start depends on the lead alone.
    if (batch.spoilt.front() != 0)
        lead_s_ *= 2;
    const double longest_s = *std::max_element(batch.longest_s.begin(), batch.longest_s.end());
    window_s_ = std::max(2 * window_s_, 1.5 * std::max(longest_s, std::min(last_end_s, 4 * window_s_)));
}

} // namespace workloads
