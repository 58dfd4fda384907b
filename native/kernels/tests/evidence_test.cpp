#include "evidence.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace steelyard {

namespace {

const ScaleMixture mixture{{1.0, 1.7, 6.0}, {8.0, 11.0, 40.0}, {std::log(0.5), std::log(0.3), std::log(0.2)}};

// The density of a multivariate t by its textbook formula, without the powers of pi that all share.
double density(double nu, int freedom, double scale, double chi2) {
    const double half = 0.5 * freedom;
    return std::tgamma(0.5 * nu + half) / std::tgamma(0.5 * nu) / std::pow(0.5 * nu, half) /
           std::pow(scale, half) / std::pow(1 + chi2 / (scale * nu), 0.5 * nu + half);
}

} // namespace

TEST(LogSummand, IsPriorTimesTheDensityOfStudentsT) {
    for (std::size_t g = 0; g < mixture.scale.size(); ++g) {
        for (const double chi2 : {0.0, 0.3, 4.0, 90.0}) {
            const double total =
                std::exp(mixture.log_prior[g]) * density(mixture.freedom[g], 5, mixture.scale[g], chi2);
            EXPECT_NEAR(log_summand(mixture, g, 5, chi2), std::log(total), 1e-9) << g << " " << chi2;
        }
    }
}

TEST(LogSummand, BecomesNormalWithEndlessFreedom) {
    const ScaleMixture exact{{2.0}, {1e9}, {0.0}};
    EXPECT_NEAR(log_summand(exact, 0, 4, 3.0), -0.5 * 4 * std::log(2.0) - 0.5 * 3.0 / 2.0, 1e-9);
}

TEST(DiscrepancyShares, AreTheSummandsOverTheirSumWhateverWasAskedBefore) {
    DiscrepancyShares shares(mixture);
    for (const int freedom : {3, 5, 3}) {
        for (const double chi2 : {0.1, 12.0}) {
            std::vector<double> share(3), expected(3);
            shares.find(freedom, chi2, share);
            for (std::size_t g = 0; g < 3; ++g) {
                expected[g] = std::exp(log_summand(mixture, g, freedom, chi2));
            }
            const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
            for (std::size_t g = 0; g < 3; ++g) {
                EXPECT_NEAR(share[g], expected[g] / sum, 1e-12) << freedom << " " << chi2;
            }
        }
    }
}

TEST(EvidenceTable, FollowsTheSumOfSummandsAndNeverRises) {
    EvidenceTable table;
    table.prepare(mixture, 5, 0.5);
    double before = std::log(1e300);
    double chi2 = 0.5;
    for (int step = 0; step < 90; ++step, chi2 *= 1.07) {
        double sum = 0;
        for (std::size_t g = 0; g < 3; ++g) {
            sum += std::exp(log_summand(mixture, g, 5, chi2));
        }
        // Interpolated between eight places an octave.
        EXPECT_NEAR(table.log_at(chi2), std::log(sum), 0.01) << chi2;
        EXPECT_NEAR(table.log_at_once(chi2), table.log_at(chi2), 0.01) << chi2;
        EXPECT_LE(table.log_at(chi2), before) << chi2;
        before = table.log_at(chi2);
    }
}

} // namespace steelyard
