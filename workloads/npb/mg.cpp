// MG, "multigrid" [1, section 2.2.2]: V-cycles [2] for the Poisson equation on a periodic cube of n^3 points.
//
// Solves A u = v from u = 0, where v is +1 at ten points and -1 at ten, drawn at random. One iteration is
// r = v - A u; u <- u + M r, in which M restricts r to the coarsest grid of 2^3 points (P), and on the way
// back interpolates (Q), corrects by the residual of that level, and smooths (S). All four are 27-point
// stencils with one weight for each distance of a neighbour: the centre, 6 faces, 12 edges, 8 corners. Its
// result is the norm of the last residual. It measures memory bandwidth, on the fine grids, and how soon
// threads can agree, on the coarse ones.
//
// Encoding: periodic_grid.hpp. Point j of a coarse grid is point 2 j of the finer one. The residual of a grid
// is made plane by plane where it is needed, and never stored as a whole.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
// [2] A. Brandt, Multi-level adaptive solutions to boundary-value problems, Math. Comp. 31, 1977,
//     doi:10.1090/S0025-5718-1977-0431719-X.

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "npb/kernel.hpp"
#include "npb/periodic_grid.hpp"
#include "npb/random.hpp"

namespace goodsyard::npb {
namespace {

/// Weights by distance: centre, face, edge, corner.
using Stencil = std::array<double, 4>;

struct Size {
    int levels; ///< n = 2^levels.
    int iterations;
    Stencil smoother;
    double norm; ///< Official.
};

constexpr Stencil laplacian = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
constexpr Stencil small_smoother = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
constexpr Stencil large_smoother = {-3.0 / 17, 1.0 / 33, -1.0 / 61, 0};

constexpr Size size_of(ProblemClass size) {
    switch (size) {
    case ProblemClass::S:
        return {5, 4, small_smoother, 0.5307707005734e-04};
    case ProblemClass::W:
        return {7, 4, small_smoother, 0.6467329375339e-05};
    case ProblemClass::A:
        return {8, 4, small_smoother, 0.2433365309069e-05};
    case ProblemClass::B:
        return {8, 20, large_smoother, 0.1800564401355e-05};
    }
    return {};
}

/// Row y of v - A u, in plane z.
void residual_row(const Grid& u, const Grid& v, std::ptrdiff_t z, std::ptrdiff_t y, double* to) {
    static_assert(laplacian[1] == 0, "faces do not count");
    const std::ptrdiff_t n = u.n();
    const Neighbourhood near(around(u, z), n, y);
    const double *face = near.faces.data(), *edge = near.edges.data(), *centre = near.centre;
    const double* from = v.plane(z) + y * (n + 2);
    for (std::ptrdiff_t x = 1; x <= n; ++x) {
        to[x] = from[x] - laplacian[0] * centre[x] - laplacian[2] * (edge[x] + face[x - 1] + face[x + 1]) -
                laplacian[3] * (edge[x - 1] + edge[x + 1]);
    }
}

/// Plane z of v - A u, with its outer points; z may be 0 or n + 1.
void residual_plane(const Grid& u, const Grid& v, std::ptrdiff_t z, double* to) {
    const std::ptrdiff_t n = u.n(), inner = z == 0 ? n : z == n + 1 ? 1 : z;
    fill_plane(to, n, [&](std::ptrdiff_t y, double* row) { residual_row(u, v, inner, y, row); });
}

/// The norm of v - A u.
double residual_norm(const Grid& u, const Grid& v) {
    const std::ptrdiff_t n = u.n();
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::ptrdiff_t z = 1; z <= n; ++z) {
        for (std::ptrdiff_t y = 1; y <= n; ++y) {
            Row row;
            residual_row(u, v, z, y, row.data());
            sum += std::inner_product(row.begin() + 1, row.begin() + 1 + n, row.begin() + 1, 0.0);
        }
    }
    return std::sqrt(sum / static_cast<double>(n * n * n));
}

/// P: each value of a coarse plane from 27 fine ones, by weights 1/2, 1/4, 1/8, 1/16.
void restrict_plane(const Planes& fine, double* coarse, std::ptrdiff_t n) {
    fill_plane(coarse, n, [&](std::ptrdiff_t y, double* to) {
        const Neighbourhood near(fine, 2 * n, 2 * y);
        const double *face = near.faces.data(), *edge = near.edges.data(), *centre = near.centre;
        for (std::ptrdiff_t x = 1; x <= n; ++x) {
            const std::ptrdiff_t f = 2 * x;
            to[x] = 0.5 * centre[f] + 0.25 * (centre[f - 1] + centre[f + 1] + face[f]) +
                    0.125 * (edge[f] + face[f - 1] + face[f + 1]) + 0.0625 * (edge[f - 1] + edge[f + 1]);
        }
    });
}

/// Q: each fine value is the mean of the coarse ones beside it, of which there are 1, 2, 4 or 8.
enum class Then { set, add };
void interpolate(const Grid& coarse, Grid& fine, Then then) {
    const std::ptrdiff_t n = coarse.n();
    fill_grid(fine, [&](std::ptrdiff_t z, std::ptrdiff_t y, double* to) {
        // Of an even position both neighbours are the same point.
        const std::ptrdiff_t first = y / 2 * (n + 2), second = (y + 1) / 2 * (n + 2);
        const double *below = coarse.plane(z / 2), *above = coarse.plane((z + 1) / 2);
        Row mean;
        for (std::ptrdiff_t x = 0; x <= n; ++x) {
            mean[static_cast<std::size_t>(x)] =
                0.25 * ((below[first + x] + above[first + x]) + (below[second + x] + above[second + x]));
        }
        const double *left = mean.data(), *right = left + 1;
        for (std::ptrdiff_t x = 0; x < n; ++x) {
            to[2 * x + 1] = (then == Then::add ? to[2 * x + 1] : 0) + 0.5 * (left[x] + right[x]);
            to[2 * x + 2] = (then == Then::add ? to[2 * x + 2] : 0) + right[x];
        }
    });
}

/// Memory for a few planes of each thread: residuals live there, and only as long as they are needed.
class Stores {
  public:
    static constexpr std::ptrdiff_t planes = 7;

    explicit Stores(std::ptrdiff_t n) : each_(planes * (n + 2) * (n + 2)) {
        for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
            values_.push_back(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(each_)));
        }
    }

    double* own() { return values_[static_cast<std::size_t>(omp_get_thread_num())].get(); }

  private:
    std::ptrdiff_t each_;
    std::vector<std::unique_ptr<double[]>> values_;
};

/// The inner planes of a grid that the calling thread of a team works on, in order.
struct Share {
    std::ptrdiff_t begin, end;

    explicit Share(std::ptrdiff_t n)
        : begin(1 + n * omp_get_thread_num() / omp_get_num_threads()),
          end(1 + n * (omp_get_thread_num() + 1) / omp_get_num_threads()) {}

    [[nodiscard]] bool empty() const { return begin == end; }
};

/// coarse = P (v - A u).
void restrict_residual(const Grid& u, const Grid& v, Grid& coarse, Stores& stores) {
    const std::ptrdiff_t n = coarse.n(), size = (u.n() + 2) * (u.n() + 2);
#pragma omp parallel if (n >= worth_a_team)
    {
        const Share share(n);
        double* store = stores.own();
        const auto slot = [&](std::ptrdiff_t z) { return store + z % 3 * size; };
        const auto make = [&](std::ptrdiff_t z) { residual_plane(u, v, z, slot(z)); };
        if (!share.empty()) {
            make(2 * share.begin - 1);
        }
        for (std::ptrdiff_t z = share.begin; z < share.end; ++z) {
            make(2 * z);
            make(2 * z + 1);
            restrict_plane({slot(2 * z - 1), slot(2 * z), slot(2 * z + 1)}, coarse.plane(z), n);
            coarse.repeat_plane(z);
        }
    }
}

/// coarse = P fine.
void restrict_grid(const Grid& fine, Grid& coarse) {
#pragma omp parallel for schedule(static) if (coarse.n() >= worth_a_team)
    for (std::ptrdiff_t z = 1; z <= coarse.n(); ++z) {
        restrict_plane(around(fine, 2 * z), coarse.plane(z), coarse.n());
        coarse.repeat_plane(z);
    }
}

/// Add S r to a plane of u.
void smooth_plane(const Stencil& weights, const Planes& r, double* u, std::ptrdiff_t n) {
    fill_plane(u, n, [&](std::ptrdiff_t y, double* to) {
        const Neighbourhood near(r, n, y);
        const double *face = near.faces.data(), *edge = near.edges.data(), *centre = near.centre;
        for (std::ptrdiff_t x = 1; x <= n; ++x) {
            to[x] += weights[0] * centre[x] + weights[1] * (centre[x - 1] + centre[x + 1] + face[x]) +
                     weights[2] * (edge[x] + face[x - 1] + face[x + 1]);
        }
    });
}

/// u <- u + S (v - A u), in one pass: a plane of u is changed once the residuals that depend on it are made.
/// Those that depend on planes of two threads are made before either changes them.
void correct(const Stencil& weights, Grid& u, const Grid& v, Stores& stores) {
    const std::ptrdiff_t n = u.n(), size = (n + 2) * (n + 2);
#pragma omp parallel if (n >= worth_a_team)
    {
        const Share share(n);
        double* store = stores.own();
        const auto slot = [&](std::ptrdiff_t z) {
            return store + size * (z <= share.begin     ? z - share.begin + 1
                                   : z >= share.end - 1 ? z - share.end + 3
                                                        : 4 + z % 3);
        };
        const auto make = [&](std::ptrdiff_t z) { residual_plane(u, v, z, slot(z)); };
        if (!share.empty()) {
            for (const std::ptrdiff_t z : {share.begin - 1, share.begin, share.end - 1, share.end}) {
                make(z);
            }
        }
#pragma omp barrier
        for (std::ptrdiff_t z = share.begin; z < share.end; ++z) {
            if (z + 1 < share.end - 1) {
                make(z + 1);
            }
            smooth_plane(weights, {slot(z - 1), slot(z), slot(z + 1)}, u.plane(z), n);
            u.repeat_plane(z);
        }
    }
}

/// A random number, and the point that it belongs to: they are drawn along x, then y, then z.
struct Drawn {
    double value;
    std::ptrdiff_t point;
};

/// Keeps the ten numbers that come first by `Before`.
template <typename Before>
class Ten {
  public:
    void offer(const Drawn& drawn) {
        if (count_ == ten_.size() && !Before()(drawn.value, ten_.back().value)) {
            return;
        }
        count_ = std::min(count_ + 1, ten_.size());
        std::size_t at = count_ - 1;
        for (; at > 0 && Before()(drawn.value, ten_[at - 1].value); --at) {
            ten_[at] = ten_[at - 1];
        }
        ten_[at] = drawn;
    }

    [[nodiscard]] const std::array<Drawn, 10>& points() const { return ten_; }

  private:
    std::array<Drawn, 10> ten_{};
    std::size_t count_ = 0;
};

/// v: +1 at the points of the ten largest random numbers, -1 at those of the ten smallest.
void set_charges(Grid& v) {
    const std::ptrdiff_t n = v.n();
    Ten<std::greater<>> largest;
    Ten<std::less<>> smallest;
    Random random;
    for (std::ptrdiff_t point = 0; point < n * n * n; ++point) {
        const Drawn drawn{random(), point};
        largest.offer(drawn);
        smallest.offer(drawn);
    }
    clear(v);
    const auto at = [&](std::ptrdiff_t point) -> double& {
        return v.plane(point / (n * n) + 1)[(point / n % n + 1) * (n + 2) + point % n + 1];
    };
    for (const Drawn& drawn : largest.points()) {
        at(drawn.point) = 1;
    }
    for (const Drawn& drawn : smallest.points()) {
        at(drawn.point) = -1;
    }
    fill_grid(v, [](auto, auto, auto) {}); // Repeats them on the outer points.
}

class Mg : public Kernel {
  public:
    explicit Mg(ProblemClass size) : size_(size_of(size)) {}

    void prepare() override {
        for (int level = 1; level < size_.levels; ++level) {
            u_.emplace_back(std::ptrdiff_t{1} << level);
            v_.emplace_back(std::ptrdiff_t{1} << level);
        }
        u_.emplace_back(std::ptrdiff_t{1} << size_.levels);
        v_.emplace_back(std::ptrdiff_t{1} << size_.levels);
        stores_ = std::make_unique<Stores>(u_.back().n());
        set_charges(v_.back());
        clear(u_.back());
        cycle();
        clear(u_.back());
    }

    void solve() override {
        first_norm_ = residual_norm(u_.back(), v_.back());
        for (int i = 0; i < size_.iterations; ++i) {
            cycle();
        }
        norm_ = residual_norm(u_.back(), v_.back());
    }

    std::vector<Check> verify() override {
        // Of u = 0 the residual is v: twenty points of size 1.
        const double at_start = std::sqrt(20 / std::ldexp(1, 3 * size_.levels));
        return {{"first norm of r", first_norm_, at_start, 1e-12}, {"norm of r", norm_, size_.norm, 1e-8}};
    }

    [[nodiscard]] double operations() const override {
        return 58.0 * size_.iterations * std::ldexp(1, 3 * size_.levels);
    }

  private:
    /// u <- u + M (v - A u) on the finest grid.
    void cycle() {
        const std::size_t finest = u_.size() - 1;
        restrict_residual(u_[finest], v_[finest], v_[finest - 1], *stores_);
        for (std::size_t level = finest - 1; level > 0; --level) {
            restrict_grid(v_[level], v_[level - 1]);
        }
        clear(u_[0]);
        correct(size_.smoother, u_[0], v_[0], *stores_);
        for (std::size_t level = 1; level <= finest; ++level) {
            interpolate(u_[level - 1], u_[level], level < finest ? Then::set : Then::add);
            correct(size_.smoother, u_[level], v_[level], *stores_);
        }
    }

    Size size_;
    std::vector<Grid> u_,
        v_; ///< By level, coarsest first: the problem of a coarse level is A u = P r of the finer.
    std::unique_ptr<Stores> stores_;
    double first_norm_ = 0, norm_ = std::numeric_limits<double>::quiet_NaN();
};

} // namespace

std::unique_ptr<Kernel> make_mg(ProblemClass size) {
    return std::make_unique<Mg>(size);
}

} // namespace goodsyard::npb
