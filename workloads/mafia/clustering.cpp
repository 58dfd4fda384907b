#include "mafia/clustering.hpp"

#include <string>

#include "harness/failure.hpp"
#include "mafia/dedup.hpp"
#include "mafia/gen.hpp"
#include "mafia/pcount.hpp"
#include "mafia/unit.hpp"
#include "mafia/unjoin.hpp"

namespace goodsyard::mafia {

Mafia::Mafia(Phases& phases)
    : phases_(phases), windows_(phases.add("windows")), bitmaps_(phases.add("bitmaps")),
      gen_(phases.add("gen")), dedup_(phases.add("dedup")), pcount_(phases.add("pcount")),
      unjoin_(phases.add("unjoin")), clusters_(phases.add("clusters")) {}

template <class Work>
auto Mafia::timed(std::size_t phase, Work work) {
    const auto running = phases_.time(phase);
    return work();
}

/// All levels, for units of up to 64 · Words windows.
template <int Words>
std::vector<Cluster> Mafia::climb(const Points& points, const Grid& grid, const Variants& variants,
                                  Counts& counts) {
    using Units = std::vector<Unit<Words>>;
    std::vector<Units> terminal;
    Units smaller;
    Units candidates;
    for (std::size_t window = 0; window < grid.windows.size(); ++window) {
        candidates.push_back(Unit<Words>(static_cast<int>(window)));
    }
    while (!candidates.empty() || !smaller.empty()) {
        Units dense =
            timed(pcount_, [&] { return pcount(candidates, grid, points, variants.counting, counts); });
        terminal.push_back(timed(unjoin_, [&] { return unjoin(smaller, dense, variants.join, counts); }));
        const Units merged = timed(gen_, [&] { return gen(dense, grid.windows, variants.join, counts); });
        candidates = timed(dedup_, [&] { return dedup(merged, variants.dedup, counts); });
        smaller = std::move(dense);
    }
    return timed(clusters_, [&] {
        std::vector<Cluster> all;
        for (const Units& units : terminal) {
            for (Cluster& each : make_clusters(units, grid)) {
                all.push_back(std::move(each));
            }
        }
        return all;
    });
}

Clustering Mafia::cluster_in(const Points& points, std::vector<Window> windows, const Variants& variants) {
    Clustering result;
    Grid grid{std::move(windows), {}};
    grid.bitmaps = timed(bitmaps_, [&] { return make_bitmaps(points, grid.windows); });
    if (grid.windows.size() <= Unit<1>::most_windows) {
        result.clusters = climb<1>(points, grid, variants, result.counts);
    } else if (grid.windows.size() <= Unit<2>::most_windows) {
        result.clusters = climb<2>(points, grid, variants, result.counts);
    } else if (grid.windows.size() <= Unit<4>::most_windows) {
        result.clusters = climb<4>(points, grid, variants, result.counts);
    } else if (grid.windows.size() <= Unit<16>::most_windows) {
        result.clusters = climb<16>(points, grid, variants, result.counts);
    } else {
        throw UsageError(std::to_string(grid.windows.size()) +
                         " windows are dense, of which a unit can hold " +
                         std::to_string(Unit<16>::most_windows) +
                         "; a larger --alpha makes fewer of them dense, a larger --beta merges more");
    }
    const Counts& counts = result.counts;
    phases_.count_operations(bitmaps_, points.count * grid.windows.size());
    phases_.count_operations(gen_, counts.pairs);
    phases_.count_operations(dedup_, counts.comparisons);
    phases_.count_operations(pcount_, counts.words + counts.coordinates);
    phases_.count_operations(unjoin_, counts.subsequences + counts.inclusions);
    result.windows = std::move(grid.windows);
    return result;
}

Clustering Mafia::cluster(const Points& points, const GridOptions& grid, const Variants& variants) {
    auto windows = timed(windows_, [&] { return find_dense_windows(points, grid); });
    phases_.count_operations(windows_, points.coordinates.size());
    return cluster_in(points, std::move(windows), variants);
}

} // namespace goodsyard::mafia
