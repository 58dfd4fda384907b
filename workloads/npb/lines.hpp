// Lines of points that are solved four at a time, by vector units: sweeps of BT and SP go along one axis, and
// lines beside each other do not depend on each other.
#pragma once

#include <array>
#include <cstddef>

#include "npb/flow.hpp"
#include "npb/point.hpp"

namespace goodsyard::npb {

/// Values of four lines, in words of two that every vector unit has.
struct Lanes {
    using Word = double __attribute__((vector_size(16)));
    Word low{}, high{};

    Lanes() = default;
    Lanes(Word first, Word second) : low(first), high(second) {}
    Lanes(double value) : low{value, value}, high{value, value} {} // Any number stands for four of it.

    Lanes operator-() const { return {-low, -high}; }
    Lanes& operator+=(const Lanes& second) { return *this = *this + second; }
    Lanes& operator-=(const Lanes& second) { return *this = *this - second; }
    Lanes& operator*=(const Lanes& second) { return *this = *this * second; }

    friend Lanes operator+(const Lanes& a, const Lanes& b) { return {a.low + b.low, a.high + b.high}; }
    friend Lanes operator-(const Lanes& a, const Lanes& b) { return {a.low - b.low, a.high - b.high}; }
    friend Lanes operator*(const Lanes& a, const Lanes& b) { return {a.low * b.low, a.high * b.high}; }
    friend Lanes operator/(const Lanes& a, const Lanes& b) { return {a.low / b.low, a.high / b.high}; }
};

inline constexpr Index longest_line = 102;

/// Four lines of points along an axis, and how to reach their values. Of two lines alone each is there twice.
struct FourLines {
    std::array<Index, 4> starts; ///< Offsets of the first points, on the surface.
    Index step;                  ///< To the next point.
    Index component;

    Lanes load(const double* values, Index i, std::size_t m) const {
        const double* from = values + i * step + static_cast<Index>(m) * component;
        return {Lanes::Word{from[starts[0]], from[starts[1]]}, Lanes::Word{from[starts[2]], from[starts[3]]}};
    }

    Change<Lanes> load(const double* values, Index i) const {
        Change<Lanes> change;
        for (std::size_t m = 0; m < components; ++m) {
            change[m] = load(values, i, m);
        }
        return change;
    }

    void store(double* values, Index i, const Change<Lanes>& change) const {
        for (std::size_t m = 0; m < components; ++m) {
            double* to = values + i * step + static_cast<Index>(m) * component;
            to[starts[0]] = change[m].low[0];
            to[starts[1]] = change[m].low[1];
            to[starts[2]] = change[m].high[0];
            to[starts[3]] = change[m].high[1];
        }
    }
};

/// Call `solve(lines)` for all inner lines along an axis of a field with an even number of points, shared out
/// among the threads of a team.
template <std::size_t axis, typename Solve>
void for_lines(const Field& field, Solve solve) {
    const Index n = field.n();
    const Index outer = axis == 2 ? field.row_stride() : field.plane_stride();
    const Index inner = axis == 0 ? field.row_stride() : 1;
    const Index step = axis == 0 ? 1 : axis == 1 ? field.row_stride() : field.plane_stride();
#pragma omp for schedule(static)
    for (Index i = 1; i < n - 1; ++i) {
        for (Index j = 1; j < n - 1; j += 4) {
            const Index first = i * outer + j * inner;
            const Index third = j + 2 < n - 1 ? first + 2 * inner : first;
            solve(FourLines{{first, first + inner, third, third + inner}, step, field.component_stride()});
        }
    }
}

} // namespace goodsyard::npb
