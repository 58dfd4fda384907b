#include "draws.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace steelyard {

namespace {

constexpr std::size_t size = max_coefficients;

// Evenly spread numbers and normal ones by Box and Muller, from the golden ratio and the root of 2.
double spread(std::size_t i, double step) {
    const double x = 0.5 + static_cast<double>(i) * step;
    return std::clamp(x - std::floor(x), 1e-9, 1 - 1e-9);
}

struct Numbers {
    std::vector<double> place, pick, chi, normal;
    std::vector<std::uint8_t> lenient;

    explicit Numbers(std::size_t draws) : lenient(draws, 1) {
        for (std::size_t d = 0; d < draws; ++d) {
            place.push_back((static_cast<double>(d) + 0.5) / static_cast<double>(draws));
            pick.push_back(spread(d, std::numbers::phi));
            chi.push_back(0);
            for (std::size_t k = 0; k < size; ++k) {
                const double u = spread(d + 1, std::sqrt(2.0 + static_cast<double>(k)));
                const double v = spread(d + 7, std::sqrt(11.0 + 3 * static_cast<double>(k)));
                normal.push_back(std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
            }
        }
    }

    [[nodiscard]] DrawNumbers view() const { return {place, pick, chi, normal, lenient, 1}; }
};

const ScaleMixture scales{{1.0, 4.0}, {1e9, 1e9}, {std::log(0.5), std::log(0.5)}};

} // namespace

TEST(Drawing, TakesComponentsAsOftenAsTheyWeighAndSpreadsCoefficientsByTheirCovariance) {
    constexpr std::size_t draws = 4000;
    const Numbers numbers(draws);
    const std::vector<double> weight{0.75, 0.25}, chi2{4.0, 4.0};
    std::vector<double> coefficient(2 * size, 0.0);
    std::vector<double> covariance(2 * size * size, 0.0);
    coefficient[0] = 100;
    coefficient[1] = 50;
    covariance[0] = 4;
    covariance[1] = covariance[4] = 1.2;
    covariance[5] = 1;
    coefficient[size] = 7; // the other is a constant
    covariance[size * size] = 0.25;
    const std::vector<std::int64_t> freedom{4, 5};
    const Mixture mixture{weight, chi2, coefficient, covariance, freedom};
    std::vector<std::int64_t> component(draws), discrepancy(draws);
    std::vector<double> out(draws * size);
    const DrawNumbers shared = numbers.view();
    Drawing drawing(shared);
    drawing.run(mixture, scales, component, discrepancy, out);
    const auto first = std::count(component.begin(), component.end(), 0);
    EXPECT_NEAR(static_cast<double>(first) / draws, 0.75, 0.001);
    double mean = 0, square = 0, product = 0;
    for (std::size_t d = 0; d < draws; ++d) {
        const double* b = &out[d * size];
        if (component[d] != 0) {
            EXPECT_EQ(b[1], 0.0);
            continue;
        }
        mean += b[0];
        square += (b[0] - 100) * (b[0] - 100);
        product += (b[0] - 100) * (b[1] - 50);
    }
    const auto n = static_cast<double>(first);
    // The fit leaves four points: chi-square of 4 says a scale of 1, or of 4, by the shares of both.
    std::vector<double> shares(2);
    DiscrepancyShares(scales).find(4, 4.0, shares);
    const double scale = shares[0] + 4 * shares[1];
    EXPECT_NEAR(mean / n, 100, 0.3);
    EXPECT_NEAR(square / n, 4 * scale, 0.15 * 4 * scale);
    EXPECT_NEAR(product / n, 1.2 * scale, 0.2 * 1.2 * scale);
}

TEST(Predict, IsTheFormulaAtTheTargetTimesALogarithmicDistance) {
    const std::vector<std::int32_t> candidate{0}, members{1, -1, -1};
    const std::vector<std::int64_t> component{0, 0};
    const std::vector<double> coefficient{10, 2, 0, 0, 10, 2, 0, 0}, discrepancy{0, 0.1}, miss{0};
    const std::vector<double> basis{99, 5}, normal{1, 1};
    std::vector<double> value(2);
    predict({candidate, component, coefficient, discrepancy, miss}, {members, basis, 1}, normal, value);
    EXPECT_DOUBLE_EQ(value[0], 20);
    EXPECT_NEAR(value[1], 20 * std::exp(0.1), 1e-9);
}

TEST(MakesSense, RefusesTermsThatFallAndFormulasBelowZero) {
    const std::vector<std::int32_t> member{0, -1, -1};
    const std::vector<double> scale{8.0}, basis{1, 2, 4, 8};
    const auto sense = [&](double constant, double slope) {
        const std::vector<double> coefficient{constant, slope, 0, 0};
        return makes_sense(member, coefficient, scale, basis, 1e-9);
    };
    EXPECT_TRUE(sense(1, 8));
    EXPECT_FALSE(sense(1, -8));
    EXPECT_TRUE(sense(-0.5, 8));  // 0.5 at its smallest
    EXPECT_FALSE(sense(-1.5, 8)); // -0.5 there
    EXPECT_TRUE(sense(-1e-12, 8));
}

TEST(Quantiles, AreThoseOfTheSortedValuesInterpolated) {
    std::vector<double> value{9, 1, 5, 3, 7};
    const std::vector<double> quantile{0, 0.25, 0.6, 1};
    std::vector<double> result(4);
    quantiles(value, quantile, result);
    EXPECT_EQ(result[0], 1);
    EXPECT_EQ(result[1], 3);
    EXPECT_NEAR(result[2], 5.8, 1e-12);
    EXPECT_EQ(result[3], 9);
}

} // namespace steelyard
