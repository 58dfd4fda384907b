#include "npb/flow.hpp"

#include <omp.h>

#include <cmath>

namespace goodsyard::npb {
namespace {

/// Coefficients of the exact solution [1, table 3.1]: the constant, then of x, y, z, x^2, … z^4.
constexpr std::array<std::array<double, 13>, components> polynomial = {{
    {2, 0, 0, 4, 5, 3, .5, .02, .01, .03, .5, .4, .3},
    {1, 0, 0, 0, 1, 2, 3, .01, .03, .02, .4, .3, .5},
    {2, 2, 0, 0, 0, 2, 3, .04, .03, .05, .3, .5, .4},
    {2, 2, 0, 0, 0, 2, 3, .03, .05, .04, .2, .1, .3},
    {5, 4, 3, 2, .1, .4, .3, .05, .04, .03, .1, .3, .2},
}};

double position(Index i, Index n) {
    return static_cast<double>(i) / static_cast<double>(n - 1);
}

/// What fluxes need beside the five values.
enum Derived : std::size_t {
    inverse_density,
    velocity_x,
    velocity_y,
    velocity_z,
    kinetic, ///< Half the square of the velocity.
    dynamic, ///< The same times density.
    quantities
};

/// The values of a row along x: the five components, and what is derived from them.
struct Row {
    std::array<const double*, components> value;
    std::array<const double*, quantities> derived;

    Row(const double* values, Index stride, const double* of_derived) {
        for (std::size_t i = 0; i < components; ++i) {
            value[i] = values + static_cast<Index>(i) * stride;
        }
        for (std::size_t i = 0; i < quantities; ++i) {
            derived[i] = of_derived + static_cast<Index>(i) * stride;
        }
    }

    /// The same row, seen from one point further on.
    [[nodiscard]] Row shifted(Index by) const {
        Row row = *this;
        for (const double*& element : row.value) {
            element += by;
        }
        for (const double*& element : row.derived) {
            element += by;
        }
        return row;
    }
};

using Sums = std::array<FlowRow, components>;

double* derived_row(double* plane, const Field& u, Index y) {
    return plane + y * static_cast<Index>(quantities) * u.component_stride();
}

/// Derive a plane of quantities.
void derive_plane(const Field& u, Index z, double* plane) {
    const Index n = u.n(), stride = u.component_stride();
    for (Index y = 0; y < n; ++y) {
        const double* density = u.row(z, y);
        double* to = derived_row(plane, u, y);
        for (Index x = 0; x < n; ++x) {
            const double inverse = 1 / density[x];
            const double vx = density[stride + x] * inverse, vy = density[2 * stride + x] * inverse,
                         vz = density[3 * stride + x] * inverse;
            const double half_square = 0.5 * (vx * vx + vy * vy + vz * vz);
            to[x] = inverse;
            to[stride + x] = vx;
            to[2 * stride + x] = vy;
            to[3 * stride + x] = vz;
            to[4 * stride + x] = half_square;
            to[5 * stride + x] = half_square * density[x];
        }
    }
}

/// Add what is not linear along an axis: fluxes between the outer rows, viscous terms between all three.
template <std::size_t axis>
void add_fluxes(const Row& before, const Row& centre, const Row& behind, Index n, Sums& sums) {
    constexpr std::size_t local = 1 + axis;
    const double cells = static_cast<double>(n - 1);
    const double flux = cells / 2, viscous = gas::viscosity * cells * cells;
    const double conducted = viscous * gas::c1 * gas::c1;
    for (Index x = 1; x < n - 1; ++x) {
        const auto i = static_cast<std::size_t>(x);
        const auto derived = [&](std::size_t m) {
            return behind.derived[m][x] - 2 * centre.derived[m][x] + before.derived[m][x];
        };
        const double forward = flux * behind.derived[local][x], backward = flux * before.derived[local][x],
                     here = centre.derived[local][x];
        sums[0][i] -= flux * (behind.value[local][x] - before.value[local][x]);
        for (std::size_t m = 1; m <= axes; ++m) {
            const double weight = viscous * (m == local ? gas::along : gas::across);
            sums[m][i] +=
                weight * derived(m) - (behind.value[m][x] * forward - before.value[m][x] * backward);
        }
        const double forward_pressure = gas::c2 * (behind.value[4][x] - behind.derived[dynamic][x]),
                     backward_pressure = gas::c2 * (before.value[4][x] - before.derived[dynamic][x]);
        sums[local][i] -= flux * (forward_pressure - backward_pressure);
        const auto square = [](double value) { return value * value; };
        const auto heat = [&](const Row& row) { return row.value[4][x] * row.derived[inverse_density][x]; };
        sums[4][i] +=
            (viscous - conducted) * derived(kinetic) +
            viscous / 6 *
                (square(behind.derived[local][x]) - 2 * square(here) + square(before.derived[local][x])) +
            conducted * (heat(behind) - 2 * heat(centre) + heat(before)) -
            ((behind.value[4][x] + forward_pressure) * forward -
             (before.value[4][x] + backward_pressure) * backward);
    }
}

/// Weights of second and fourth differences along an axis at inner point i of n: the dissipation.
std::array<double, 5> dissipation(std::size_t axis, Index i, Index n) {
    const double cells = static_cast<double>(n - 1), second = gas::dissipation[axis] * cells * cells;
    std::array<double, 5> weights = {0, second, -2 * second, second, 0};
    const std::array<double, 5> fourth = fourth_difference(i, n);
    for (std::size_t k = 0; k < weights.size(); ++k) {
        weights[k] -= gas::smoothing * fourth[k];
    }
    return weights;
}

/// Set the sums of a row to the dissipation along all axes.
void set_dissipation(const Field& u, Index z, Index y, Sums& sums) {
    const Index n = u.n(), to_row = u.row_stride(), to_plane = u.plane_stride();
    const std::array<double, 5> in_y = dissipation(1, y, n), in_z = dissipation(2, z, n);
    // A point outside of the cube has weight 0; the point itself stands in for it.
    const auto far = [n](Index at, Index stride, Index side) {
        return at + side >= 0 && at + side < n ? side * stride : 0;
    };
    const std::array<Index, 4> far_rows = {far(y, to_row, -2), far(y, to_row, 2), far(z, to_plane, -2),
                                           far(z, to_plane, 2)};
    for (std::size_t m = 0; m < components; ++m) {
        const double* centre = u.row(z, y) + static_cast<Index>(m) * u.component_stride();
        double* sum = sums[m].data();
        const auto set = [&](Index x, const std::array<double, 5>& in_x, Index before, Index behind) {
            const double* at = centre + x;
            sum[x] = (in_x[2] + in_y[2] + in_z[2]) * at[0] +
                     (in_x[0] * at[before] + in_x[1] * at[-1] + in_x[3] * at[1] + in_x[4] * at[behind]) +
                     (in_y[0] * at[far_rows[0]] + in_y[1] * at[-to_row] + in_y[3] * at[to_row] +
                      in_y[4] * at[far_rows[1]]) +
                     (in_z[0] * at[far_rows[2]] + in_z[1] * at[-to_plane] + in_z[3] * at[to_plane] +
                      in_z[4] * at[far_rows[3]]);
        };
        for (const Index x : {Index{1}, Index{2}, n - 3, n - 2}) {
            set(x, dissipation(0, x, n), far(x, 1, -2), far(x, 1, 2));
        }
        const std::array<double, 5> in_x = dissipation(0, 3, n);
        for (Index x = 3; x < n - 3; ++x) {
            set(x, in_x, -2, 2);
        }
    }
}

/// Root mean square of what a term gives at each inner point.
template <typename Term>
State root_mean_squares(Index n, Term term) {
    double t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
#pragma omp parallel for schedule(static) reduction(+ : t0, t1, t2, t3, t4)
    for (Index z = 1; z < n - 1; ++z) {
        for (Index y = 1; y < n - 1; ++y) {
            for (Index x = 1; x < n - 1; ++x) {
                const State state = term(z, y, x);
                t0 += state[0] * state[0];
                t1 += state[1] * state[1];
                t2 += state[2] * state[2];
                t3 += state[3] * state[3];
                t4 += state[4] * state[4];
            }
        }
    }
    State sums = {t0, t1, t2, t3, t4};
    const auto inner = static_cast<double>((n - 2) * (n - 2) * (n - 2));
    for (double& sum : sums) {
        sum = std::sqrt(sum / inner);
    }
    return sums;
}

template <typename Value>
void fill(Field& u, Value value) {
    const Index n = u.n();
#pragma omp parallel for schedule(static)
    for (Index z = 0; z < n; ++z) {
        for (Index y = 0; y < n; ++y) {
            for (Index x = 0; x < n; ++x) {
                const State state = value(z, y, x);
                for (std::size_t m = 0; m < components; ++m) {
                    u.at(z, y, x, m) = state[m];
                }
            }
        }
    }
}

} // namespace

std::array<double, 5> fourth_difference(Index i, Index n) {
    if (i == 1) {
        return {0, 0, 5, -4, 1};
    }
    if (i == n - 2) {
        return {1, -4, 5, 0, 0};
    }
    return {i == 2 ? 0.0 : 1.0, -4, 6, -4, i == n - 3 ? 0.0 : 1.0};
}

State exact(double x, double y, double z) {
    State state;
    for (std::size_t m = 0; m < components; ++m) {
        const auto& c = polynomial[m];
        state[m] = c[0] + x * (c[1] + x * (c[4] + x * (c[7] + x * c[10]))) +
                   y * (c[2] + y * (c[5] + y * (c[8] + y * c[11]))) +
                   z * (c[3] + z * (c[6] + z * (c[9] + z * c[12])));
    }
    return state;
}

void set_start(Field& u) {
    const Index n = u.n();
    fill(u, [n](Index iz, Index iy, Index ix) {
        const double x = position(ix, n), y = position(iy, n), z = position(iz, n);
        const auto is_outer = [n](Index i) { return i == 0 || i == n - 1; };
        if (is_outer(ix) || is_outer(iy) || is_outer(iz)) {
            return exact(x, y, z);
        }
        const std::array<State, 6> faces = {exact(0, y, z), exact(1, y, z), exact(x, 0, z),
                                            exact(x, 1, z), exact(x, y, 0), exact(x, y, 1)};
        State state;
        for (std::size_t m = 0; m < components; ++m) {
            const double along_x = (1 - x) * faces[0][m] + x * faces[1][m],
                         along_y = (1 - y) * faces[2][m] + y * faces[3][m],
                         along_z = (1 - z) * faces[4][m] + z * faces[5][m];
            state[m] = along_x + along_y + along_z - along_x * along_y - along_y * along_z -
                       along_z * along_x + along_x * along_y * along_z;
        }
        return state;
    });
}

void set_exact(Field& u) {
    const Index n = u.n();
    fill(u, [n](Index z, Index y, Index x) { return exact(position(x, n), position(y, n), position(z, n)); });
}

State inner_norms(const Field& field) {
    return root_mean_squares(field.n(), [&](Index z, Index y, Index x) {
        State state;
        for (std::size_t m = 0; m < components; ++m) {
            state[m] = field.at(z, y, x, m);
        }
        return state;
    });
}

State errors(const Field& u) {
    return root_mean_squares(u.n(), [&](Index z, Index y, Index x) {
        State difference = exact(position(x, u.n()), position(y, u.n()), position(z, u.n()));
        for (std::size_t m = 0; m < components; ++m) {
            difference[m] -= u.at(z, y, x, m);
        }
        return difference;
    });
}

void append_checks(std::vector<Check>& checks, const std::string& subject, const State& computed,
                   const State& official) {
    for (std::size_t m = 0; m < components; ++m) {
        checks.push_back(
            {subject + " of component " + std::to_string(m + 1), computed[m], official[m], 1e-8});
    }
}

Operator::Operator(Index n) : plane_size_(static_cast<std::size_t>(n * (n | 1)) * quantities) {
    for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
        planes_.push_back(std::make_unique_for_overwrite<double[]>(3 * plane_size_));
    }
}

void Operator::apply(const Field& u, const Field* forcing, double scale, Field& to) {
    const Index n = u.n(), stride = u.component_stride();
#pragma omp parallel
    {
        const Index thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const Index begin = 1 + (n - 2) * thread / threads, end = 1 + (n - 2) * (thread + 1) / threads;
        double* store = planes_[static_cast<std::size_t>(thread)].get();
        const auto plane = [&](Index z) { return store + z % 3 * static_cast<Index>(plane_size_); };
        const auto row = [&](Index z, Index y) {
            return Row(u.row(z, y), stride, derived_row(plane(z), u, y));
        };
        if (begin < end) {
            derive_plane(u, begin - 1, plane(begin - 1));
            derive_plane(u, begin, plane(begin));
        }
        for (Index z = begin; z < end; ++z) {
            derive_plane(u, z + 1, plane(z + 1));
            for (Index y = 1; y < n - 1; ++y) {
                alignas(64) Sums sums;
                set_dissipation(u, z, y, sums);
                const Row centre = row(z, y);
                add_fluxes<0>(centre.shifted(-1), centre, centre.shifted(1), n, sums);
                add_fluxes<1>(row(z, y - 1), centre, row(z, y + 1), n, sums);
                add_fluxes<2>(row(z - 1, y), centre, row(z + 1, y), n, sums);
                for (std::size_t m = 0; m < components; ++m) {
                    const Index component = static_cast<Index>(m) * stride;
                    const double* sum = sums[m].data();
                    double* result = to.row(z, y) + component;
                    if (forcing != nullptr) {
                        const double* forced = forcing->row(z, y) + component;
                        for (Index x = 1; x < n - 1; ++x) {
                            result[x] = scale * (forced[x] + sum[x]);
                        }
                    } else {
                        for (Index x = 1; x < n - 1; ++x) {
                            result[x] = scale * sum[x];
                        }
                    }
                }
            }
        }
    }
}

void Operator::set_forcing(Field& scratch, Field& forcing) {
    set_exact(scratch);
    apply(scratch, nullptr, -1, forcing);
}

} // namespace goodsyard::npb
