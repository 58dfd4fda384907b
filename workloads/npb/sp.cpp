// SP, "scalar pentadiagonal" [1, section 3.2.3.1]: time steps of the flow by alternating directions, with the
// equations of each axis uncoupled [2].
//
// Along an axis, the derivative of the flux has the eigenvalues w, w, w, w + c and w - c, of the velocity and
// the speed of sound. In the basis of its eigenvectors each component is a scalar equation, pentadiagonal
// with the fourth differences. It measures memory, reached along each axis in turn.
//
// Encoding: four lines are solved at a time (lines.hpp). A change of basis is made where a line is read or
// written, so that it costs no pass over memory.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
// [2] T. H. Pulliam, D. S. Chaussee, A diagonal form of an implicit approximate-factorization algorithm,
//     J. Comput. Phys. 39(2), 1981, doi:10.1016/0021-9991(81)90156-X.

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>

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
                100,
                0.015,
                {2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02,
                 1.5840557224455615e-02, 3.4849040609362460e-02},
                {2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
                 1.5750704994480102e-05, 3.4177666183390531e-05}};
    case ProblemClass::W:
        return {36,
                400,
                0.0015,
                {0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03, 0.2887475409984e-03,
                 0.3143611161242e-02},
                {0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04, 0.1128838671535e-04,
                 0.1212845639773e-03}};
    case ProblemClass::A:
        return {64,
                400,
                0.0015,
                {2.4799822399300195, 1.1276337964368832, 1.5028977888770491, 1.4217816211695179,
                 2.1292113035138280},
                {1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05,
                 4.7671093939528255e-05, 1.3621613399213001e-04}};
    case ProblemClass::B:
        return {102,
                400,
                0.001,
                {0.6903293579998e+02, 0.3095134488084e+02, 0.4103336647017e+02, 0.3864769009604e+02,
                 0.5643482272596e+02},
                {0.9810006190188e-02, 0.1022827905670e-02, 0.1720597911692e-02, 0.1694479428231e-02,
                 0.1847456263981e-01}};
    }
    return {};
}

using Vector = Change<Lanes>;

constexpr double root = std::numbers::sqrt2 / 2;

Lanes square_root(const Lanes& value) {
    const auto root_of = [](Lanes::Word word) { return Lanes::Word{std::sqrt(word[0]), std::sqrt(word[1])}; };
    return {root_of(value.low), root_of(value.high)};
}

/// A point, and the speed of sound there.
struct Sounded {
    Point<Lanes> point;
    Lanes speed;

    Sounded() = default;
    explicit Sounded(const Vector& u)
        : point(u), speed(square_root(gas::c1 * gas::c2 * (point.energy - point.kinetic))) {}
};

/// A change in the basis of eigenvectors along x.
Vector to_eigenvectors(const Sounded& at, const Vector& v) {
    const Point<Lanes>& p = at.point;
    const auto& [vx, vy, vz] = p.velocity;
    const Lanes pressure =
        gas::c2 / (at.speed * at.speed) * (p.kinetic * v[0] - vx * v[1] - vy * v[2] - vz * v[3] + v[4]);
    const Lanes moved = root * p.inverse * (vx * v[0] - v[1]);
    const Lanes heard = root * p.inverse * at.speed * pressure;
    return {v[0] - pressure, p.inverse * (v[3] - vz * v[0]), p.inverse * (vy * v[0] - v[2]), heard - moved,
            heard + moved};
}

/// From the basis along x to that along y.
Vector turn_to_y(const Vector& v) {
    const Lanes moved = root * v[2], heard = 0.5 * (v[3] + v[4]);
    return {-v[1], v[0], root * (v[3] - v[4]), heard - moved, heard + moved};
}

/// From the basis along y to that along z.
Vector turn_to_z(const Vector& v) {
    const Lanes moved = root * v[0], heard = 0.5 * (v[3] + v[4]);
    return {root * (v[3] - v[4]), -v[2], v[1], heard - moved, heard + moved};
}

/// From the basis along z to the five values.
Vector from_eigenvectors(const Sounded& at, Lanes density, const Vector& v) {
    const Point<Lanes>& p = at.point;
    const auto& [vx, vy, vz] = p.velocity;
    const Lanes heard = root * density / at.speed * (v[3] + v[4]);
    const Lanes mass = v[2] + heard, moved = root * density * (v[3] - v[4]);
    return {mass, vx * mass - density * v[1], vy * mass + density * v[0], vz * mass + moved,
            density * (vy * v[0] - vx * v[1]) + p.kinetic * mass + at.speed * at.speed / gas::c2 * heard +
                vz * moved};
}

/// A row of a pentadiagonal system that is solved from the first row on: what it keeps of the two behind.
struct Rest {
    Lanes next, second;
};

/// Systems of an axis: of the velocity, of velocity and sound, of velocity less sound.
constexpr std::size_t systems = 3;

struct ScalarPentadiagonal {
    struct Line {
        std::array<std::array<Rest, systems>, longest_line> rest;
        std::array<Vector, longest_line> right;
    };

    /// Of an iteration, as the rules count them.
    static double operations(double n) { return ((881.174 * n - 4683.91) * n + 11484.5) * n - 19272.4; }

    template <std::size_t axis>
    static void solve(const FourLines& lines, const Factors& factors, const FlowSize& size, double* u,
                      double* change, Line& line) {
        const auto at = [&](Index i) { return Sounded(lines.load(u, i)); };
        // Of the second differences' weights the largest is that of heat.
        const auto spread = [&](const Sounded& point) {
            return factors.dissipation +
                   factors.viscous * gas::c1 * gas::c1 * gas::viscosity * point.point.inverse;
        };
        const double smoothing = gas::smoothing * size.step;
        const Index last = size.n - 2;
        Sounded before = at(0), here = at(1);
        // What rows before the first keep: nothing.
        std::array<Rest, systems> second_before{}, first_before{};
        Vector second_right{}, first_right{};
        for (Index i = 1; i <= last; ++i) {
            const auto place = static_cast<std::size_t>(i);
            const Sounded behind = at(i + 1);
            const std::array<double, 5> fourth = fourth_difference(i, size.n);
            Vector right = lines.load(change, i);
            if constexpr (axis == 0) {
                right = to_eigenvectors(here, right);
            }
            const Lanes spread_before = spread(before), spread_behind = spread(behind);
            const Lanes diagonal = 1 + 2 * spread(here) + smoothing * fourth[2];
            for (std::size_t system = 0; system < systems; ++system) {
                const double sound = system == 0 ? 0.0 : system == 1 ? 1.0 : -1.0;
                const Lanes wave_before = before.point.velocity[axis] + sound * before.speed;
                const Lanes wave_behind = behind.point.velocity[axis] + sound * behind.speed;
                const double far = smoothing * fourth[0];
                const Rest &second = second_before[system], &first = first_before[system];
                const Lanes near =
                    smoothing * fourth[1] - factors.flux * wave_before - spread_before - far * second.next;
                const Lanes inverse = 1.0 / (diagonal - far * second.second - near * first.next);
                const Lanes next =
                    smoothing * fourth[3] + factors.flux * wave_behind - spread_behind - near * first.second;
                line.rest[place][system] = {inverse * next, inverse * (smoothing * fourth[4])};
                const std::size_t begin = system == 0 ? 0 : 2 + system, end = system == 0 ? 3 : 3 + system;
                for (std::size_t m = begin; m < end; ++m) {
                    right[m] = inverse * (right[m] - far * second_right[m] - near * first_right[m]);
                }
            }
            line.right[place] = right;
            second_before = first_before;
            first_before = line.rest[place];
            second_right = first_right;
            first_right = right;
            before = here;
            here = behind;
        }
        Vector first{}, second{};
        for (Index i = last; i > 0; --i) {
            const auto place = static_cast<std::size_t>(i);
            Vector solved = line.right[place];
            for (std::size_t m = 0; m < components; ++m) {
                const Rest& rest = line.rest[place][m < 3 ? 0 : m - 2];
                solved[m] -= rest.next * first[m] + rest.second * second[m];
            }
            second = first;
            first = solved;
            if constexpr (axis == 2) {
                Vector values = lines.load(u, i);
                const Vector increment = from_eigenvectors(Sounded(values), values[0], solved);
                for (std::size_t m = 0; m < components; ++m) {
                    values[m] += increment[m];
                }
                lines.store(u, i, values);
            } else {
                lines.store(change, i, axis == 0 ? turn_to_y(solved) : turn_to_z(solved));
            }
        }
    }
};

} // namespace

std::unique_ptr<Kernel> make_sp(ProblemClass size) {
    return std::make_unique<AlternatingDirections<ScalarPentadiagonal>>(size_of(size));
}

} // namespace goodsyard::npb
