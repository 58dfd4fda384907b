#include "collectives/batch.hpp"

#include <algorithm>
#include <cstddef>

#include "collectives/barrier_sync.hpp"
#include "collectives/round_time_sync.hpp"
#include "collectives/window_sync.hpp"
#include "mpi/check.hpp"

namespace workloads {

Batch collect(const Timing& timing, const std::vector<double>& own_s, const std::vector<int>& own_spoilt) {
    const auto count = static_cast<int>(own_s.size());
    const World& world = timing.world;
    Batch batch;
    if (world.is_root()) {
        batch.longest_s.resize(own_s.size());
        batch.spoilt.resize(own_s.size());
    }
    check(MPI_Reduce(own_s.data(), batch.longest_s.data(), count, MPI_DOUBLE, MPI_MAX, 0, world.handle()),
          "MPI_Reduce");
    check(MPI_Reduce(own_spoilt.data(), batch.spoilt.data(), count, MPI_INT, MPI_MAX, 0, world.handle()),
          "MPI_Reduce");
    if (!timing.raw)
        return batch;
    const auto ranks = static_cast<std::size_t>(world.size());
    std::vector<double> by_rank(world.is_root() ? own_s.size() * ranks : 0);
    check(MPI_Gather(own_s.data(), count, MPI_DOUBLE, by_rank.data(), count, MPI_DOUBLE, 0, world.handle()),
          "MPI_Gather");
    if (world.is_root())
        for (std::size_t i = 0; i < own_s.size(); i++)
            for (std::size_t rank = 0; rank < ranks; rank++)
                batch.of_ranks_s.push_back(by_rank[rank * own_s.size() + i]);
    return batch;
}

std::unique_ptr<Synchroniser> make_synchroniser(const Options& options, Timing timing, double longest_s) {
    switch (options.sync) {
    case Sync::window:
        return std::make_unique<WindowSync>(std::move(timing), options.window_s, longest_s, options.budget_s);
    case Sync::round_time:
        return std::make_unique<RoundTimeSync>(std::move(timing), options.round_factor, options.budget_s);
    case Sync::barrier:
        return std::make_unique<BarrierSync>(std::move(timing));
    }
    throw std::invalid_argument("no such synchronisation");
}

} // namespace workloads
