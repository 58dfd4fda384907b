// LU, "lower-upper symmetric Gauss-Seidel" [1, section 3.2.3.2]: the flow's steady state by symmetric
// successive over-relaxation [2].
//
// An iteration solves (D + w L) D^-1 (D + w U) dU = R, in which L has the neighbours of lower index and U
// those of higher: a sweep through the cube from one corner, and one back. A point waits for three
// neighbours, so threads work as a pipeline: each owns a run of rows of every plane, and enters a plane when
// the thread before has left it. It measures how soon a thread learns that another has come so far.
//
// Encoding: blocks of 5 x 5 are never stored, but applied to a vector as derivatives of the flux (point.hpp).
// Those of neighbours in other rows are done for a row at once, by vector units; what a point waits for in
// its own row is left to the end. D has its elements in the diagonal, the first column and the last row, so
// that it is solved by substitution.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
// [2] S. Yoon, A. Jameson, Lower-upper symmetric-Gauss-Seidel method for the Euler and Navier-Stokes
//     equations, AIAA J. 26(9), 1988, doi:10.2514/3.10007.

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "npb/flow.hpp"
#include "npb/kernel.hpp"
#include "npb/point.hpp"

namespace goodsyard::npb {
namespace {

struct Size : FlowSize {
    double surface; ///< Official integral of the pressure.
};

constexpr Size size_of(ProblemClass size) {
    switch (size) {
    case ProblemClass::S:
        return {{12,
                 50,
                 0.5,
                 {1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03,
                  1.5029584435994323e-03, 3.4264073155896461e-02},
                 {6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
                  5.8474222595157350e-05, 1.3103347914111294e-03}},
                7.8418928865937083};
    case ProblemClass::W:
        return {{33,
                 300,
                 1.5e-3,
                 {12.36511638192, 1.317228477799, 2.550120713095, 2.326187750252, 28.26799444189},
                 {0.4867877144216, 0.05064652880982, 0.09281818101960, 0.08570126542733, 1.084277417792}},
                11.61399311023};
    case ProblemClass::A:
        return {{64,
                 250,
                 2,
                 {7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02,
                  1.7845301160418537e+02, 1.8384760349464247e+03},
                 {2.9964085685471943e+01, 2.8194576365003349, 7.3473412698774742, 6.7139225687777051,
                  7.0715315688392578e+01}},
                2.6030925604886277e+01};
    case ProblemClass::B:
        return {{102,
                 250,
                 2,
                 {3.5532672969982736e+03, 2.6214750795310692e+02, 8.8333721850952190e+02,
                  7.7812774739425265e+02, 7.3087969592545314e+03},
                 {1.1401176380212709e+02, 8.1098963655421574, 2.8480597317698308e+01, 2.5905394567832939e+01,
                  2.6054907504857413e+02}},
                4.7887162703308227e+01};
    }
    return {};
}

constexpr double relaxation = 1.2;

enum class Sweep { forward, backward };

Change<double> load(const double* row, Index stride, Index x) {
    Change<double> values;
    for (std::size_t m = 0; m < components; ++m) {
        values[m] = row[static_cast<Index>(m) * stride + x];
    }
    return values;
}

/// Tells neighbours in the pipeline how many planes a thread has done; each has a cache line of its own.
class Pipeline {
  public:
    Pipeline() : done_(static_cast<std::size_t>(omp_get_max_threads())) {}

    void reset(int thread) { done(thread).store(0, std::memory_order_relaxed); }
    void advance(int thread) {
        done(thread).fetch_add(1, std::memory_order_release);
        done(thread).notify_all();
    }
    void await(int thread, int planes) {
        for (int visited = done(thread).load(std::memory_order_acquire); visited < planes;
             visited = done(thread).load(std::memory_order_acquire)) {
            done(thread).wait(visited, std::memory_order_acquire);
        }
    }

  private:
    struct alignas(64) Padded {
        std::atomic<int> planes = 0;
    };
    std::atomic<int>& done(int thread) { return done_[static_cast<std::size_t>(thread)].planes; }
    std::vector<Padded> done_;
};

class Lu : public Kernel {
  public:
    explicit Lu(ProblemClass size)
        : size_(size_of(size)), flow_(size_.n), u_(size_.n), forcing_(size_.n), change_(size_.n),
          factors_{Factors(0, size_.n, size_.step), Factors(1, size_.n, size_.step),
                   Factors(2, size_.n, size_.step)} {
        diagonal_ = 1;
        for (const Factors& factors : factors_) {
            diagonal_ += 2 * factors.dissipation;
        }
    }

    void prepare() override {
        clear_change();
        flow_.set_forcing(u_, forcing_);
        start();
        iterate(1);
        start();
    }

    void solve() override { iterate(size_.iterations); }

    std::vector<Check> verify() override {
        std::vector<Check> checks;
        State residuals = inner_norms(change_);
        for (double& residual : residuals) {
            residual /= size_.step;
        }
        append_checks(checks, "residual", residuals, size_.residuals);
        append_checks(checks, "error", errors(u_), size_.errors);
        checks.push_back({"surface integral", surface_integral(), size_.surface, 1e-8});
        return checks;
    }

    [[nodiscard]] double operations() const override {
        const auto n = static_cast<double>(size_.n);
        return size_.iterations * (((1984.77 * n - 10923.3) * n + 27770.9) * n - 144010);
    }

  private:
    /// The surface of a change is read by neighbours, and stays 0.
    void clear_change() {
#pragma omp parallel for schedule(static)
        for (Index z = 0; z < size_.n; ++z) {
            std::fill_n(change_.row(z, 0), change_.plane_stride(), 0.0);
        }
    }

    /// Begin anew, with the residual of the start as the change.
    void start() {
        set_start(u_);
        flow_.apply(u_, &forcing_, size_.step, change_);
    }

    /// From the residual of one state to that of the next.
    void iterate(int iterations) {
        for (int i = 0; i < iterations; ++i) {
#pragma omp parallel
            {
                sweep<Sweep::forward>();
#pragma omp barrier
                sweep<Sweep::backward>();
            }
            add_change();
            flow_.apply(u_, &forcing_, size_.step, change_);
        }
    }

    void add_change() {
        constexpr double weight = 1 / (relaxation * (2 - relaxation));
#pragma omp parallel for schedule(static)
        for (Index z = 1; z < size_.n - 1; ++z) {
            double* value = u_.row(z, 0);
            const double* change = change_.row(z, 0);
            // The surface of a change is 0.
            for (Index i = 0; i < u_.plane_stride(); ++i) {
                value[i] += weight * change[i];
            }
        }
    }

    /// A thread's part of a sweep: its rows of each plane.
    template <Sweep direction>
    void sweep() {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const Index inner = size_.n - 2;
        const Index begin = 1 + inner * thread / threads, end = 1 + inner * (thread + 1) / threads;
        constexpr bool is_forward = direction == Sweep::forward;
        const int before = is_forward ? thread - 1 : thread + 1;
        pipeline_.reset(thread);
#pragma omp barrier
        for (int plane = 1; plane <= static_cast<int>(inner); ++plane) {
            if (before >= 0 && before < threads) {
                pipeline_.await(before, plane);
            }
            const Index z = is_forward ? plane : size_.n - 1 - plane;
            for (Index row = begin; row < end; ++row) {
                sweep_row<direction>(z, is_forward ? row : begin + end - 1 - row);
            }
            pipeline_.advance(thread);
        }
    }

    template <Sweep direction>
    void sweep_row(Index z, Index y) {
        constexpr Index side = direction == Sweep::forward ? -1 : 1;
        const Index n = size_.n, stride = u_.component_stride();
        double* local = change_.row(z, y);
        const double* values = u_.row(z, y);

        // What neighbours in other rows contribute, and all that does not wait.
        alignas(64) std::array<FlowRow, components> outside;
        const double *u_below = u_.row(z + side, y), *v_below = change_.row(z + side, y);
        const double *u_beside = u_.row(z, y + side), *v_beside = change_.row(z, y + side);
        for (Index x = 1; x < n - 1; ++x) {
            const Change<double> below = Point<double>(load(u_below, stride, x))
                                             .couple<2>(side, factors_[2], load(v_below, stride, x));
            const Change<double> beside = Point<double>(load(u_beside, stride, x))
                                              .couple<1>(side, factors_[1], load(v_beside, stride, x));
            for (std::size_t m = 0; m < components; ++m) {
                outside[m][static_cast<std::size_t>(x)] = below[m] + beside[m];
            }
        }
        alignas(64) std::array<FlowRow, 7> derived;
        const double momentum_factor =
            2 * gas::viscosity * factors_[0].viscous * (gas::along + 2 * gas::across);
        const double energy_factor = 2 * gas::conduction * factors_[0].viscous * 3;
        for (Index x = 0; x < n; ++x) {
            const auto i = static_cast<std::size_t>(x);
            const Point<double> point(load(values, stride, x));
            derived[0][i] = point.inverse;
            for (std::size_t m = 0; m < axes; ++m) {
                derived[1 + m][i] = point.velocity[m];
            }
            derived[4][i] = point.energy;
            derived[5][i] = 1 / (diagonal_ + momentum_factor * point.inverse);
            derived[6][i] = 1 / (diagonal_ + energy_factor * point.inverse);
        }

        const double inverse_diagonal = 1 / diagonal_;
        Change<double> last{};
        for (Index step = 1; step < n - 1; ++step) {
            const Index x = side < 0 ? step : n - 1 - step;
            const auto at = [&](Index position) {
                const auto i = static_cast<std::size_t>(position);
                Point<double> point;
                point.inverse = derived[0][i];
                point.velocity = {derived[1][i], derived[2][i], derived[3][i]};
                point.kinetic =
                    0.5 * (point.velocity[0] * point.velocity[0] + point.velocity[1] * point.velocity[1] +
                           point.velocity[2] * point.velocity[2]);
                point.energy = derived[4][i];
                return point;
            };
            const Change<double> inside = at(x + side).template couple<0>(side, factors_[0], last);
            const auto i = static_cast<std::size_t>(x);
            Change<double> right;
            for (std::size_t m = 0; m < components; ++m) {
                const double coupled = relaxation * (outside[m][i] + inside[m]);
                const double own_value = local[static_cast<Index>(m) * stride + x];
                right[m] = direction == Sweep::forward ? own_value - coupled : coupled;
            }
            const Point<double> point = at(x);
            // D: the diagonal, the first column, and the last row.
            const double mixed = 2 * factors_[0].viscous *
                                 ((gas::along + 2 * gas::across) * gas::viscosity - 3 * gas::conduction) *
                                 point.inverse;
            Change<double> solved;
            solved[0] = right[0] * inverse_diagonal;
            double energy = right[4] + energy_factor * point.inverse * point.energy * solved[0];
            for (std::size_t m = 0; m < axes; ++m) {
                const double carried = momentum_factor * point.inverse * point.velocity[m] * solved[0];
                solved[1 + m] = (right[1 + m] + carried) * derived[5][i];
                energy -= mixed * point.velocity[m] * (solved[1 + m] - point.velocity[m] * solved[0]);
            }
            solved[4] = energy * derived[6][i];
            for (std::size_t m = 0; m < components; ++m) {
                double& value = local[static_cast<Index>(m) * stride + x];
                value = direction == Sweep::forward ? solved[m] : value - solved[m];
                last[m] = value;
            }
        }
    }

    /// Integral of the pressure over the faces of a box inside the cube, by the trapezoidal rule.
    [[nodiscard]] double surface_integral() const {
        struct Range {
            Index first, last;
        };
        const Index n = size_.n;
        const std::array<Range, axes> box = {{{1, n - 2}, {1, n - 3}, {2, n - 2}}}; // x, y, z
        const auto pressure = [&](const std::array<Index, axes>& point) {
            const auto [x, y, z] = point;
            double square = 0;
            for (std::size_t m = 1; m <= axes; ++m) {
                square += u_.at(z, y, x, m) * u_.at(z, y, x, m);
            }
            return gas::c2 * (u_.at(z, y, x, 4) - 0.5 * square / u_.at(z, y, x, 0));
        };
        double sum = 0;
        for (std::size_t normal = 0; normal < axes; ++normal) {
            const std::size_t a = (normal + 1) % axes, b = (normal + 2) % axes;
            for (const Index face : {box[normal].first, box[normal].last}) {
                for (Index i = box[a].first; i < box[a].last; ++i) {
                    for (Index j = box[b].first; j < box[b].last; ++j) {
                        for (const Index corner : {0, 1, 2, 3}) {
                            std::array<Index, axes> point;
                            point[normal] = face;
                            point[a] = i + corner % 2;
                            point[b] = j + corner / 2;
                            sum += pressure(point);
                        }
                    }
                }
            }
        }
        const double cells = static_cast<double>(n - 1);
        return 0.25 * sum / (cells * cells);
    }

    Size size_;
    Operator flow_;
    Field u_, forcing_, change_;
    std::array<Factors, axes> factors_;
    double diagonal_;
    Pipeline pipeline_;
};

} // namespace

std::unique_ptr<Kernel> make_lu(ProblemClass size) {
    return std::make_unique<Lu>(size);
}

} // namespace goodsyard::npb
