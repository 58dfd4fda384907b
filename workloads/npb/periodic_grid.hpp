// Values on the n^3 points of a cube that goes on periodically, and what a stencil of 27 points sees of them.
//
// Encoding: one array of (n + 2)^3, x fastest, whose outer points repeat the opposite side, so that no
// stencil asks where it is. A stencil goes row by row: for each position x of a row it first adds the four
// neighbouring rows that share a face with it (faces[x]), and the four that share an edge (edges[x]). By
// these and the row itself, the neighbours at each distance are two or three additions, and each loop is one
// for vector units.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

namespace goodsyard::npb {

inline constexpr std::ptrdiff_t longest_row = 256 + 2;
inline constexpr std::ptrdiff_t worth_a_team = 16; ///< Smaller grids are done sooner than threads are woken.

using Row = std::array<double, longest_row>;

/// Values on (n + 2)^3 points; those at 0 and n + 1 repeat those at n and 1.
class Grid {
  public:
    explicit Grid(std::ptrdiff_t n)
        : n_(n), row_(n + 2),
          values_(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(row_ * row_ * row_))) {}

    [[nodiscard]] std::ptrdiff_t n() const { return n_; }
    double* plane(std::ptrdiff_t z) { return &values_[static_cast<std::size_t>(z * row_ * row_)]; }
    [[nodiscard]] const double* plane(std::ptrdiff_t z) const {
        return &values_[static_cast<std::size_t>(z * row_ * row_)];
    }

    /// Repeat plane z where it belongs on the other side of the cube.
    void repeat_plane(std::ptrdiff_t z) {
        if (z == 1) {
            std::copy_n(plane(1), row_ * row_, plane(n_ + 1));
        }
        if (z == n_) {
            std::copy_n(plane(n_), row_ * row_, plane(0));
        }
    }

  private:
    std::ptrdiff_t n_, row_;
    std::unique_ptr<double[]> values_;
};

/// Call `fill(y, row)` for the inner rows of a plane, then repeat what it wrote on the plane's outer points.
template <typename Fill>
void fill_plane(double* plane, std::ptrdiff_t n, Fill fill) {
    const std::ptrdiff_t length = n + 2;
    for (std::ptrdiff_t y = 1; y <= n; ++y) {
        double* row = plane + y * length;
        fill(y, row);
        row[0] = row[n];
        row[n + 1] = row[1];
    }
    std::copy_n(plane + n * length, length, plane);
    std::copy_n(plane + length, length, plane + (n + 1) * length);
}

/// Call `fill(z, y, row)` for all inner rows of a grid, whose planes are shared out among threads.
template <typename Fill>
void fill_grid(Grid& grid, Fill fill) {
#pragma omp parallel for schedule(static) if (grid.n() >= worth_a_team)
    for (std::ptrdiff_t z = 1; z <= grid.n(); ++z) {
        fill_plane(grid.plane(z), grid.n(), [&](std::ptrdiff_t y, double* row) { fill(z, y, row); });
        grid.repeat_plane(z);
    }
}

inline void clear(Grid& grid) {
    fill_grid(grid, [&](auto, auto, double* row) { std::fill_n(row, grid.n() + 2, 0.0); });
}

/// Three planes of (n + 2)^2 values, one above the other.
struct Planes {
    const double *below, *centre, *above;
};

inline Planes around(const Grid& grid, std::ptrdiff_t z) {
    return {grid.plane(z - 1), grid.plane(z), grid.plane(z + 1)};
}

/// Row y of the middle plane and, for each of its positions, sums over the eight rows around it.
struct Neighbourhood {
    const double* centre;
    alignas(64) Row faces, edges;

    Neighbourhood(const Planes& planes, std::ptrdiff_t n, std::ptrdiff_t y) {
        const std::ptrdiff_t length = n + 2, at = y * length;
        const double *below = planes.below + at, *above = planes.above + at;
        centre = planes.centre + at;
        for (std::ptrdiff_t x = 0; x < length; ++x) {
            const auto i = static_cast<std::size_t>(x);
            faces[i] = centre[x - length] + centre[x + length] + below[x] + above[x];
            edges[i] = below[x - length] + below[x + length] + above[x - length] + above[x + length];
        }
    }
};

} // namespace goodsyard::npb
