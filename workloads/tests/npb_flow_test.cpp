// Asserts that the flow of BT, SP and LU is what its definition says: the exact solution is steady under its
// forcing, derivatives of the flux are those that differences of it show, and lanes are four numbers.

#include "npb/flow.hpp"
#include "npb/lines.hpp"
#include "npb/point.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <omp.h>

namespace goodsyard::npb {
namespace {

constexpr State at_rest_or_not = {1.7, 0.6, -0.9, 0.4, 5.1};

/// The flux along an axis, from its definition.
template <std::size_t axis>
State flux_of(const State& u) {
    const double velocity = u[1 + axis] / u[0];
    const double pressure = 0.4 * (u[4] - (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / (2 * u[0]));
    State flux;
    for (std::size_t m = 0; m < components; ++m) {
        flux[m] = u[m] * velocity;
    }
    flux[1 + axis] += pressure;
    flux[4] += pressure * velocity;
    return flux;
}

template <std::size_t axis>
void expect_flux_derivative_is_that_of_differences() {
    const Point<double> point(at_rest_or_not);
    for (std::size_t column = 0; column < components; ++column) {
        Change<double> unit{};
        unit[column] = 1;
        const Change<double> derivative = point.flux<axis>(unit);
        State extra = at_rest_or_not, less = at_rest_or_not;
        extra[column] += 1e-5;
        less[column] -= 1e-5;
        const State high = flux_of<axis>(extra), low = flux_of<axis>(less);
        for (std::size_t m = 0; m < components; ++m) {
            EXPECT_NEAR(derivative[m], (high[m] - low[m]) / 2e-5, 1e-8) << axis << ' ' << column << ' ' << m;
        }
    }
}

TEST(NpbPoint, DerivesTheFluxAlongEachAxis) {
    expect_flux_derivative_is_that_of_differences<0>();
    expect_flux_derivative_is_that_of_differences<1>();
    expect_flux_derivative_is_that_of_differences<2>();
}

TEST(NpbPoint, ViscosityActsOnVelocitiesAndConductionOnHeat) {
    // A change of all values by one factor leaves velocities and heat as they are.
    const Change<double> change = Point<double>(at_rest_or_not).viscous<1>(at_rest_or_not);
    for (const double value : change) {
        EXPECT_NEAR(value, 0, 1e-15);
    }
    const Change<double> pushed = Point<double>(at_rest_or_not).viscous<1>({0, 1.7, 0, 0, 0});
    EXPECT_NEAR(pushed[1], 0.1, 1e-15);
    EXPECT_EQ(pushed[2], 0);
}

class NpbFlow : public testing::TestWithParam<int> {};

TEST_P(NpbFlow, TheExactSolutionIsSteadyUnderItsForcing) {
    omp_set_num_threads(GetParam());
    Operator flow(12);
    Field u(12), forcing(12), change(12);
    flow.set_forcing(u, forcing);
    set_exact(u);
    flow.apply(u, &forcing, 1, change);
    for (const double norm : inner_norms(change)) {
        EXPECT_LT(norm, 1e-11);
    }
    for (const double error : errors(u)) {
        EXPECT_EQ(error, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, NpbFlow, testing::Values(1, 2, 3, 13));

TEST(NpbFlow, TheStartIsExactOnTheSurfaceOnly) {
    Field u(12);
    set_start(u);
    const State corner = exact(1, 0, 1), inside = exact(4 / 11.0, 5 / 11.0, 6 / 11.0);
    for (std::size_t m = 0; m < components; ++m) {
        EXPECT_EQ(u.at(11, 0, 11, m), corner[m]);
        EXPECT_NE(u.at(6, 5, 4, m), inside[m]);
    }
}

TEST(NpbFlow, FourthDifferencesAreOneSidedBesideTheSurface) {
    using Weights = std::array<double, 5>;
    EXPECT_EQ(fourth_difference(1, 12), (Weights{0, 0, 5, -4, 1}));
    EXPECT_EQ(fourth_difference(2, 12), (Weights{0, -4, 6, -4, 1}));
    EXPECT_EQ(fourth_difference(5, 12), (Weights{1, -4, 6, -4, 1}));
    EXPECT_EQ(fourth_difference(9, 12), (Weights{1, -4, 6, -4, 0}));
    EXPECT_EQ(fourth_difference(10, 12), (Weights{1, -4, 5, 0, 0}));
}

/// Adds 1 to every point of every line along an axis.
template <std::size_t axis>
void count_lines(Field& field) {
    double* values = field.row(0, 0);
    for_lines<axis>(field, [&](const FourLines& lines) {
        for (Index i = 1; i < field.n() - 1; ++i) {
            Change<Lanes> change = lines.load(values, i);
            for (Lanes& lane : change) {
                lane += 1.0;
            }
            lines.store(values, i, change);
        }
    });
}

TEST(NpbLines, AllInnerPointsAreOnOneLineAlongEachAxis) {
    for (const Index n : {12, 14}) { // 10 lines beside each other, of which two are alone, and 12.
        Field field(n);
        for (Index z = 0; z < n; ++z) {
            std::fill_n(field.row(z, 0), field.plane_stride(), 0.0);
        }
        count_lines<0>(field);
        count_lines<1>(field);
        count_lines<2>(field);
        for (Index z = 0; z < n; ++z) {
            for (Index y = 0; y < n; ++y) {
                for (Index x = 0; x < n; ++x) {
                    const auto is_inner = [n](Index i) { return i > 0 && i < n - 1; };
                    const bool inside = is_inner(x) && is_inner(y) && is_inner(z);
                    ASSERT_EQ(field.at(z, y, x, 4), inside ? 3 : 0) << z << ' ' << y << ' ' << x;
                }
            }
        }
    }
}

} // namespace
} // namespace goodsyard::npb
