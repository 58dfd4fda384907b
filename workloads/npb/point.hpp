// One point of the flow as solvers see it: the linearised flux and viscous terms that act on a change of the
// five values. Values are of any type with arithmetic: a number, or one of several lines for vector units.
#pragma once

#include <array>
#include <cstddef>

#include "npb/flow.hpp"

namespace goodsyard::npb {

template <typename Value>
using Change = std::array<Value, components>;

/// Factors of the terms at a neighbour: time step over distance, over its square, and that with dissipation.
struct Factors {
    double flux, viscous, dissipation;

    Factors(std::size_t axis, Index n, double step) {
        const double cells = static_cast<double>(n - 1);
        flux = step * cells / 2;
        viscous = step * cells * cells;
        dissipation = viscous * gas::dissipation[axis];
    }
};

template <typename Value>
struct Point {
    Value inverse; ///< 1 / density.
    std::array<Value, axes> velocity;
    Value kinetic; ///< Half the square of the velocity.
    Value energy;  ///< Of a unit of mass.

    Point() = default;
    explicit Point(const Change<Value>& u) {
        inverse = 1.0 / u[0];
        for (std::size_t m = 0; m < axes; ++m) {
            velocity[m] = u[1 + m] * inverse;
        }
        kinetic = 0.5 * (velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
        energy = u[4] * inverse;
    }

    /// The derivative of the flux along an axis [1, section 3.3: matrices A, B, C] times a change.
    template <std::size_t axis>
    [[nodiscard]] Change<Value> flux(const Change<Value>& v) const {
        const Value local = velocity[axis], along = v[1 + axis];
        const Value product = velocity[0] * v[1] + velocity[1] * v[2] + velocity[2] * v[3];
        const Value pressure = gas::c2 * (kinetic * v[0] - product + v[4]);
        const Value enthalpy = gas::c1 * energy - gas::c2 * kinetic;
        const Value carried = along - local * v[0];
        Change<Value> result;
        result[0] = along;
        for (std::size_t m = 0; m < axes; ++m) {
            result[1 + m] = velocity[m] * carried + local * v[1 + m];
        }
        result[1 + axis] += pressure;
        result[4] = local * (pressure + v[4] - enthalpy * v[0]) + enthalpy * along;
        return result;
    }

    /// The derivative of the viscous terms along an axis [1: matrices N, Q, S] times a change.
    template <std::size_t axis>
    [[nodiscard]] Change<Value> viscous(const Change<Value>& v) const {
        Change<Value> result;
        result[0] = Value{};
        result[4] = gas::conduction * inverse * (v[4] - energy * v[0]);
        for (std::size_t m = 0; m < axes; ++m) {
            const Value change = inverse * (v[1 + m] - velocity[m] * v[0]);
            const double weight = gas::viscosity * (m == axis ? gas::along : gas::across);
            result[1 + m] = weight * change;
            result[4] += (weight - gas::conduction) * velocity[m] * change;
        }
        return result;
    }

    /// What a neighbour's change contributes to the implicit equation of a point: `sign` is 1 of the
    /// neighbour behind it, -1 of that before.
    template <std::size_t axis>
    [[nodiscard]] Change<Value> couple(double sign, const Factors& factors, const Change<Value>& v) const {
        Change<Value> result = flux<axis>(v);
        const Change<Value> viscous_part = viscous<axis>(v);
        const double flux_factor = sign * factors.flux;
        for (std::size_t m = 0; m < components; ++m) {
            result[m] =
                flux_factor * result[m] - factors.viscous * viscous_part[m] - factors.dissipation * v[m];
        }
        return result;
    }
};

} // namespace goodsyard::npb
