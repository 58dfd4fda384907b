// Asserts that a grid goes on periodically, and that a neighbourhood is the sum over the rows around it; the
// witness takes every point by itself, modulo n.

#include "npb/periodic_grid.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace goodsyard::npb {
namespace {

/// The value at a point, whatever side of the cube it is on.
double value_at(std::ptrdiff_t z, std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t n) {
    const auto inside = [n](std::ptrdiff_t i) { return (i - 1 + n) % n + 1; };
    return std::sin(static_cast<double>(inside(z) * 10'000 + inside(y) * 100 + inside(x)));
}

Grid filled(std::ptrdiff_t n) {
    Grid grid(n);
    fill_grid(grid, [n](std::ptrdiff_t z, std::ptrdiff_t y, double* row) {
        for (std::ptrdiff_t x = 1; x <= n; ++x) {
            row[x] = value_at(z, y, x, n);
        }
    });
    return grid;
}

class NpbPeriodicGrid : public testing::TestWithParam<std::ptrdiff_t> {};

TEST_P(NpbPeriodicGrid, RepeatsEverySideEdgeAndCornerOnTheOpposite) {
    const std::ptrdiff_t n = GetParam();
    const Grid grid = filled(n);
    for (std::ptrdiff_t z = 0; z <= n + 1; ++z) {
        for (std::ptrdiff_t y = 0; y <= n + 1; ++y) {
            for (std::ptrdiff_t x = 0; x <= n + 1; ++x) {
                ASSERT_EQ(grid.plane(z)[y * (n + 2) + x], value_at(z, y, x, n)) << z << ' ' << y << ' ' << x;
            }
        }
    }
}

TEST_P(NpbPeriodicGrid, ANeighbourhoodAddsTheRowsThatShareAFaceAndThoseThatShareAnEdge) {
    const std::ptrdiff_t n = GetParam();
    const Grid grid = filled(n);
    for (std::ptrdiff_t z = 1; z <= n; ++z) {
        for (std::ptrdiff_t y = 1; y <= n; ++y) {
            const Neighbourhood near(around(grid, z), n, y);
            for (std::ptrdiff_t x = 0; x <= n + 1; ++x) {
                double faces = 0, edges = 0;
                for (const std::ptrdiff_t step : {-1, 1}) {
                    faces += value_at(z + step, y, x, n) + value_at(z, y + step, x, n);
                    edges += value_at(z + step, y + step, x, n) + value_at(z + step, y - step, x, n);
                }
                ASSERT_NEAR(near.faces[static_cast<std::size_t>(x)], faces, 1e-14);
                ASSERT_NEAR(near.edges[static_cast<std::size_t>(x)], edges, 1e-14);
                ASSERT_EQ(near.centre[x], value_at(z, y, x, n));
            }
        }
    }
}

TEST_P(NpbPeriodicGrid, IsZeroEverywhereOnceItIsCleared) {
    Grid grid = filled(GetParam());
    clear(grid);
    const std::ptrdiff_t length = GetParam() + 2;
    for (std::ptrdiff_t i = 0; i < length * length * length; ++i) {
        ASSERT_EQ(grid.plane(0)[i], 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, NpbPeriodicGrid, testing::Values(2, 4, 8, 32));

} // namespace
} // namespace goodsyard::npb
