#include "mafia/clustering.hpp"

#include <chrono>
#include <string>

#include "mafia/dedup.hpp"
#include "mafia/gen.hpp"
#include "mafia/input_error.hpp"
#include "mafia/pcount.hpp"
#include "mafia/unit.hpp"
#include "mafia/unjoin.hpp"

namespace workloads::mafia {

namespace {

/// What `work` returns; its time is added to that of the phase.
template <class Work>
auto timed(PhaseSeconds& seconds, Phase phase, Work work) {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    seconds[static_cast<std::size_t>(phase)] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

/// All levels, for units of up to 64 · Words windows.
template <int Words>
void climb(const Points& points, const Grid& grid, const Variants& variants, Clustering& found) {
    using Units = std::vector<Unit<Words>>;
    std::vector<Units> terminal;
    Units smaller;
    Units candidates;
    for (std::size_t window = 0; window < grid.windows.size(); ++window)
        candidates.push_back(Unit<Words>(static_cast<int>(window)));
    while (!candidates.empty() || !smaller.empty()) {
        Units dense = timed(found.seconds, Phase::pcount, [&] {
            return pcount(candidates, grid, &points, variants.counting, found.counts);
        });
        terminal.push_back(timed(found.seconds, Phase::unjoin,
                                 [&] { return unjoin(smaller, dense, variants.join, found.counts); }));
        const Units merged = timed(found.seconds, Phase::gen,
                                   [&] { return gen(dense, grid.windows, variants.join, found.counts); });
        candidates =
            timed(found.seconds, Phase::dedup, [&] { return dedup(merged, variants.dedup, found.counts); });
        smaller = std::move(dense);
    }
    found.clusters = timed(found.seconds, Phase::clusters, [&] {
        std::vector<Cluster> all;
        for (const Units& units : terminal)
            for (Cluster& each : make_clusters(units, grid))
                all.push_back(std::move(each));
        return all;
    });
}

} // namespace

Clustering cluster_in(const Points& points, std::vector<Window> windows, const Variants& variants) {
    Clustering found;
    Grid grid{std::move(windows), {}};
    found.dense_windows = grid.windows.size();
    grid.bitmaps = timed(found.seconds, Phase::bitmaps, [&] { return make_bitmaps(points, grid.windows); });
    if (grid.windows.size() <= Unit<1>::most_windows)
        climb<1>(points, grid, variants, found);
    else if (grid.windows.size() <= Unit<2>::most_windows)
        climb<2>(points, grid, variants, found);
    else if (grid.windows.size() <= Unit<4>::most_windows)
        climb<4>(points, grid, variants, found);
    else if (grid.windows.size() <= Unit<16>::most_windows)
        climb<16>(points, grid, variants, found);
    else
        throw InputError(std::to_string(grid.windows.size()) +
                             " windows are dense, of which a unit can hold " +
                             std::to_string(Unit<16>::most_windows),
                         "a larger --alpha makes fewer of them dense, a larger --beta merges more of them");
    return found;
}

Clustering cluster(const Points& points, const GridOptions& grid, const Variants& variants) {
    PhaseSeconds seconds = {};
    auto windows = timed(seconds, Phase::windows, [&] { return find_dense_windows(points, grid); });
    Clustering found = cluster_in(points, std::move(windows), variants);
    found.seconds[static_cast<std::size_t>(Phase::windows)] =
        seconds[static_cast<std::size_t>(Phase::windows)];
    return found;
}

} // namespace workloads::mafia
