// Whole searches over data whose formula is known, and coefficients beside least squares by Gauss's
// elimination.
#include "search.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace steelyard {

namespace {

const std::vector<double> p{2, 4, 8, 16, 32, 64, 128};

// Columns p, log p, p^2, p log p, each 1 at its largest; candidates: the constant, each alone, and p with log
// p.
SearchSpace make_space() {
    SearchSpace space;
    space.points = static_cast<int>(p.size());
    space.columns = 4;
    for (const double x : p) {
        for (const double value : {x, std::log2(x), x * x, x * std::log2(x)}) {
            space.column.push_back(value);
        }
    }
    const std::size_t last = (p.size() - 1) * 4;
    for (std::size_t c = 0; c < 4; ++c) {
        const double most = space.column[last + c];
        for (std::size_t k = 0; k < p.size(); ++k) {
            space.column[k * 4 + c] /= most;
        }
    }
    space.terms = {{-1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {2, -1, -1}, {3, -1, -1}, {0, 1, -1}};
    space.log_prior.assign(space.terms.size(), std::log(1.0 / static_cast<double>(space.terms.size())));
    space.group = {0, 1, 2, 3, 4, 1};
    space.groups = 5;
    space.singles = 1;
    space.pairs = 5;
    space.triples = 6;
    space.tau = {0.001, 0.01, 0.1};
    space.log_tau_prior.assign(3, std::log(1.0 / 3));
    space.finish();
    return space;
}

Found search(const SearchSpace& space, const std::vector<double>& y, double relative_u) {
    std::vector<double> u2;
    for (const double value : y) {
        u2.push_back(relative_u * relative_u * value * value);
    }
    Search engine(space);
    Found result;
    engine.run({y, u2, 1, 0}, 6, result);
    return result;
}

// Weighted least squares of a constant and some columns, solved by elimination.
std::vector<double> least_squares(const SearchSpace& space, const std::vector<std::size_t>& columns,
                                  const std::vector<double>& y, const std::vector<double>& variance) {
    const std::size_t d = columns.size() + 1;
    std::vector<std::vector<double>> a(d, std::vector<double>(d + 1, 0.0));
    for (std::size_t k = 0; k < y.size(); ++k) {
        std::vector<double> row{1.0};
        for (const std::size_t c : columns) {
            row.push_back(space.raw[k * static_cast<std::size_t>(space.columns) + c]);
        }
        for (std::size_t i = 0; i < d; ++i) {
            for (std::size_t j = 0; j < d; ++j) {
                a[i][j] += row[i] * row[j] / variance[k];
            }
            a[i][d] += row[i] * y[k] / variance[k];
        }
    }
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t r = 0; r < d; ++r) {
            const double factor = r == i ? 0 : a[r][i] / a[i][i];
            for (std::size_t c = i; c <= d; ++c) {
                a[r][c] -= factor * a[i][c];
            }
        }
    }
    std::vector<double> out;
    for (std::size_t i = 0; i < d; ++i) {
        out.push_back(a[i][d] / a[i][i]);
    }
    return out;
}

} // namespace

TEST(Search, FindsTheTermThatTheDataGrowBy) {
    const SearchSpace space = make_space();
    std::vector<double> y;
    for (const double x : p) {
        y.push_back(5 + 0.3 * x * (1 + 0.002 * std::sin(x)));
    }
    const Found result = search(space, y, 0.01);
    ASSERT_FALSE(result.components.empty());
    EXPECT_EQ(result.components[0].candidate, 1);
    EXPECT_GT(result.group_posterior[1], 0.95);
    EXPECT_NEAR(std::accumulate(result.group_posterior.begin(), result.group_posterior.end(), 0.0), 1.0,
                1e-9);
    EXPECT_NEAR(result.components[0].coefficient[1], 0.3 * 128, 0.4);
    EXPECT_NEAR(result.components[0].coefficient[0], 5, 0.2);
}

TEST(Search, CallsAConstantConstant) {
    const Found result = search(make_space(), {3.0, 3.01, 2.99, 3.02, 2.98, 3.0, 3.01}, 0.01);
    EXPECT_EQ(result.components[0].candidate, 0);
    EXPECT_GT(result.group_posterior[0], 0.5);
}

TEST(Search, HasTheCoefficientsOfWeightedLeastSquaresWithOneTermAndWithTwo) {
    const SearchSpace space = make_space();
    const std::vector<double> y{7.1, 8.0, 9.7, 12.2, 17.0, 25.9, 43.1};
    const Found result = search(space, y, 0.05);
    std::size_t checked = 0;
    for (const Component& component : result.components) {
        if (component.candidate != 1 && component.candidate != 5) {
            continue;
        }
        const std::vector<std::size_t> columns =
            component.candidate == 1 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, 1};
        const std::vector<double> expected = least_squares(space, columns, y, result.variance);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(component.coefficient[i], expected[i], 1e-6 * std::abs(expected[i]) + 1e-9) << i;
        }
        ++checked;
    }
    EXPECT_GE(checked, 1U);
}

TEST(Search, DoesNotDependOnTheUnitNorOnWhatWasSearchedBefore) {
    const SearchSpace space = make_space();
    const std::vector<double> y{7.1, 8.0, 9.7, 12.2, 17.0, 25.9, 43.1};
    std::vector<double> u2, small, small_u2;
    for (const double value : y) {
        u2.push_back(0.0025 * value * value);
        small.push_back(value * 1e-9);
        small_u2.push_back(0.0025 * value * value * 1e-18);
    }
    Search engine(space);
    Found alone, other, again;
    engine.run({y, u2, 1, 6}, 6, alone);
    engine.run({small, small_u2, 1, 6}, 6, other);
    engine.run({y, u2, 1, 6}, 6, again);
    ASSERT_EQ(alone.components.size(), other.components.size());
    for (std::size_t i = 0; i < alone.components.size(); ++i) {
        EXPECT_EQ(alone.components[i].candidate, other.components[i].candidate);
        EXPECT_NEAR(alone.components[i].weight, other.components[i].weight, 1e-9);
        EXPECT_EQ(alone.components[i].weight, again.components[i].weight);
        EXPECT_EQ(alone.components[i].coefficient, again.components[i].coefficient);
    }
}

} // namespace steelyard
