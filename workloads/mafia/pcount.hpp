// Phase pcount: a candidate is dense if it has as many points as the threshold of each of its windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mafia/bitmaps.hpp"
#include "mafia/counts.hpp"
#include "mafia/points.hpp"
#include "mafia/variants.hpp"
#include "mafia/windows.hpp"

namespace goodsyard::mafia {

/// What points are counted in.
struct Grid {
    std::vector<Window> windows; ///< the dense ones
    Bitmaps bitmaps;             ///< of these
};

/// Points in all windows, each looked at until a window does not have it; adds to `coordinates`.
inline std::int64_t count_by_points(const Points& points, const std::vector<Window>& windows,
                                    const std::vector<int>& rows, std::uint64_t& coordinates) {
    std::int64_t inside = 0;
    for (std::size_t i = 0; i < points.count; ++i) {
        const bool in_all = std::all_of(rows.begin(), rows.end(), [&](int row) {
            const Window& window = windows[static_cast<std::size_t>(row)];
            const double x = points.dimension(window.dimension)[i];
            ++coordinates;
            return window.lower <= x && x < window.upper;
        });
        inside += in_all ? 1 : 0;
    }
    return inside;
}

/// The dense ones of `candidates`, in their order.
template <class Unit>
std::vector<Unit> pcount(const std::vector<Unit>& candidates, const Grid& grid, const Points& points,
                         Counting how, Counts& counts) {
    std::vector<char> dense(candidates.size());
    std::uint64_t words = 0;
    std::uint64_t coordinates = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : words, coordinates) if (candidates.size() > 16)
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::vector<int> rows = candidates[i].windows();
        std::int64_t inside = 0;
        if (how == Counting::bitmaps) {
            inside = count_common(grid.bitmaps, rows);
            words += rows.size() * grid.bitmaps.words;
        } else {
            inside = count_by_points(points, grid.windows, rows, coordinates);
        }
        dense[i] = std::all_of(rows.begin(), rows.end(), [&](int row) {
            return inside >= grid.windows[static_cast<std::size_t>(row)].threshold;
        });
    }
    counts.words += words;
    counts.coordinates += coordinates;
    std::vector<Unit> kept;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (dense[i]) {
            kept.push_back(candidates[i]);
        }
    }
    counts.candidates += candidates.size();
    counts.dense += kept.size();
    return kept;
}

} // namespace goodsyard::mafia
