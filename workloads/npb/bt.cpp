// BT, "block tridiagonal" [1, section 3.2.3.3]: time steps of the flow by alternating directions [2].
//
// The implicit operator of a step is approximated by a product of three, one for each axis, so that each step
// solves three sets of independent lines: block tridiagonal systems with blocks of 5 x 5. It measures dense
// arithmetic on small blocks, with memory reached along each axis in turn.
//
// Encoding: four lines are solved at a time (lines.hpp). Blocks below the diagonal are never stored, but
// applied as derivatives of the flux (point.hpp).
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
// [2] R. M. Beam, R. F. Warming, An implicit finite-difference algorithm for hyperbolic systems in
//     conservation-law form, J. Comput. Phys. 22(1), 1976, doi:10.1016/0021-9991(76)90110-8.

#include <array>
#include <cstddef>
#include <memory>

#include "npb/alternating.hpp"
#include "npb/flow.hpp"
#include "npb/kernel.hpp"
#include "npb/lines.hpp"
#include "npb/point.hpp"

namespace goodsyard::npb {
namespace {

constexpr FlowSize size_of(ProblemClass size) {
    switch (size) {
    case ProblemClass::S:
        return {12,
                60,
                0.01,
                {1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02,
                 2.6436421275166801e-02, 1.9211784131744430e-01},
                {4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05,
                 7.3821238632439731e-05, 8.9269630987491446e-04}};
    case ProblemClass::W:
        return {24,
                200,
                0.0008,
                {112.5590409344, 11.80007595731, 27.10329767846, 24.69174937669, 263.8427874317},
                {4.419655736008, 0.4638531260002, 1.011551749967, 0.9235878729944, 10.18045837718}};
    case ProblemClass::A:
        return {64,
                200,
                0.0008,
                {1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01,
                 2.3665622544678910e+01, 2.5278963211748344e+02},
                {4.2348416040525025, 4.4390282496995698e-01, 9.6692480136345650e-01, 8.8302063039765474e-01,
                 9.7379901770829278}};
    case ProblemClass::B:
        return {102,
                200,
                0.0003,
                {1.4233597229287254e+03, 9.9330522590150238e+01, 3.5646025644535285e+02,
                 3.2485447959084092e+02, 3.2707541254659363e+03},
                {5.2969847140936856e+01, 4.4632896115670668, 1.3122573342210174e+01, 1.2006925323559144e+01,
                 1.2459576151035986e+02}};
    }
    return {};
}

using Vector = Change<Lanes>;
using Block = std::array<Vector, components>; ///< By columns.

/// The block that couples a point to the one behind it, by columns.
template <std::size_t axis>
void set_behind(Block& block, const Point<Lanes>& point, const Factors& factors) {
    const Lanes zero{}, own = point.velocity[axis], inverse = point.inverse;
    const Lanes enthalpy = gas::c1 * point.energy - gas::c2 * point.kinetic;
    for (Vector& column : block) {
        column.fill(zero);
    }
    // Columns of a vector's components: how the flux along the axis, then the viscous terms, change with
    // each.
    block[0][4] = factors.flux * own * (gas::c2 * point.kinetic - enthalpy) +
                  factors.viscous * gas::conduction * inverse * point.energy;
    block[1 + axis][0] += factors.flux;
    for (std::size_t m = 0; m < axes; ++m) {
        const double weight = gas::viscosity * (m == axis ? gas::along : gas::across);
        const Lanes velocity = point.velocity[m];
        block[0][1 + m] -= factors.flux * own * velocity - factors.viscous * weight * inverse * velocity;
        block[1 + axis][1 + m] += factors.flux * velocity;
        block[1 + m][1 + m] += factors.flux * own - factors.viscous * weight * inverse;
        block[1 + m][1 + axis] -= factors.flux * gas::c2 * velocity;
        const Lanes heated = factors.viscous * (weight - gas::conduction) * inverse * velocity;
        block[1 + m][4] -= factors.flux * gas::c2 * own * velocity + heated;
        block[0][4] += heated * velocity;
    }
    block[0][1 + axis] += factors.flux * gas::c2 * point.kinetic;
    block[1 + axis][4] += factors.flux * enthalpy;
    block[4][1 + axis] += factors.flux * gas::c2;
    block[4][4] += factors.flux * gas::c1 * own - factors.viscous * gas::conduction * inverse;
    for (std::size_t m = 0; m < components; ++m) {
        block[m][m] -= factors.dissipation;
    }
}

/// The block of the diagonal, by columns.
template <std::size_t axis>
void set_own(Block& block, const Point<Lanes>& point, const Factors& factors) {
    const Lanes zero{}, twice = 2 * factors.viscous * point.inverse;
    for (std::size_t m = 0; m < components; ++m) {
        block[m].fill(zero);
        block[m][m] += 1 + 2 * factors.dissipation;
    }
    block[0][4] -= twice * gas::conduction * point.energy;
    for (std::size_t m = 0; m < axes; ++m) {
        const double weight = gas::viscosity * (m == axis ? gas::along : gas::across);
        const Lanes velocity = point.velocity[m];
        block[0][1 + m] -= twice * weight * velocity;
        block[1 + m][1 + m] += twice * weight;
        const Lanes heated = twice * (weight - gas::conduction) * velocity;
        block[1 + m][4] += heated;
        block[0][4] -= heated * velocity;
    }
    block[4][4] += twice * gas::conduction;
}

/// Replace right sides by the solutions of block x = right, without pivoting: the diagonal dominates.
template <std::size_t count>
void solve_block(Block& block, const std::array<Vector*, count>& rights) {
    for (std::size_t pivot = 0; pivot < components; ++pivot) {
        const Lanes inverse = 1.0 / block[pivot][pivot];
        for (std::size_t column = pivot + 1; column < components; ++column) {
            block[column][pivot] *= inverse;
        }
        for (Vector* right : rights) {
            (*right)[pivot] *= inverse;
        }
        for (std::size_t row = pivot + 1; row < components; ++row) {
            const Lanes factor = block[pivot][row];
            for (std::size_t column = pivot + 1; column < components; ++column) {
                block[column][row] -= factor * block[column][pivot];
            }
            for (Vector* right : rights) {
                (*right)[row] -= factor * (*right)[pivot];
            }
        }
    }
    for (std::size_t pivot = components - 1; pivot > 0; --pivot) {
        for (std::size_t row = 0; row < pivot; ++row) {
            for (Vector* right : rights) {
                (*right)[row] -= block[pivot][row] * (*right)[pivot];
            }
        }
    }
}

struct BlockTridiagonal {
    struct Line {
        std::array<Block, longest_line> behind;
        std::array<Vector, longest_line> right;
    };

    /// Of an iteration, as the rules count them.
    static double operations(double n) { return ((3478.8 * n - 17655.7) * n + 28023.7) * n; }

    template <std::size_t axis>
    static void solve(const FourLines& lines, const Factors& factors, const FlowSize& size, double* u,
                      double* change, Line& line) {
        const auto point_at = [&](Index i) { return Point<Lanes>(lines.load(u, i)); };
        const Index last = size.n - 2;
        Point<Lanes> before{}, here = point_at(1);
        Block local;
        for (Index i = 1; i <= last; ++i) {
            const auto place = static_cast<std::size_t>(i);
            Block& behind = line.behind[place];
            Vector& right = line.right[place];
            right = lines.load(change, i);
            set_own<axis>(local, here, factors);
            const auto subtract = [&](Vector& from, const Vector& of_before) {
                const Vector coupled = before.template couple<axis>(-1, factors, of_before);
                for (std::size_t m = 0; m < components; ++m) {
                    from[m] -= coupled[m];
                }
            };
            if (i > 1) {
                for (std::size_t column = 0; column < components; ++column) {
                    subtract(local[column], line.behind[place - 1][column]);
                }
                subtract(right, line.right[place - 1]);
            }
            if (i < last) {
                const Point<Lanes> next = point_at(i + 1);
                set_behind<axis>(behind, next, factors);
                solve_block<components + 1>(
                    local, {&behind[0], &behind[1], &behind[2], &behind[3], &behind[4], &right});
                before = here;
                here = next;
            } else {
                solve_block<1>(local, {&right});
            }
        }
        for (Index i = last; i > 0; --i) {
            const auto place = static_cast<std::size_t>(i);
            Vector& right = line.right[place];
            if (i < last) {
                for (std::size_t column = 0; column < components; ++column) {
                    for (std::size_t m = 0; m < components; ++m) {
                        right[m] -= line.behind[place][column][m] * line.right[place + 1][column];
                    }
                }
            }
            if constexpr (axis == 2) {
                Vector values = lines.load(u, i);
                for (std::size_t m = 0; m < components; ++m) {
                    values[m] += right[m];
                }
                lines.store(u, i, values);
            } else {
                lines.store(change, i, right);
            }
        }
    }
};

} // namespace

std::unique_ptr<Kernel> make_bt(ProblemClass size) {
    return std::make_unique<AlternatingDirections<BlockTridiagonal>>(size_of(size));
}

} // namespace goodsyard::npb
