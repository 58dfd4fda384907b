#include "harness/computation.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace workloads {
namespace {

TEST(Rates, OfTheSourceHaveEveryKindAndADate) {
    const Rates rates = rates_of_the_source();
    EXPECT_EQ(rates.date.size(), std::string("2026-11-22").size());
    for (const double seconds : rates.seconds) {
        EXPECT_GT(seconds, 1e-11);
        EXPECT_LT(seconds, 1e-5);
    }
}

class BadRates : public testing::TestWithParam<const char*> {};

TEST_P(BadRates, AreRefused) {
    EXPECT_THROW(rates_from(GetParam()), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadRates,
    testing::Values("", "{}", R"({"format": "steelyard-rates", "version": 2, "date": "", "operations": {}})",
                    R"({"format": "steelyard-rates", "version": 1, "date": "", "operations": {}})",
                    R"({"format": "steelyard-rates", "version": 1, "date": "", "operations": {"comparison":
                        {"median_s": 0}}})"));

TEST(Computation, IsRealOnARealMachineWhateverIsAskedFor) {
    const Computation computation(ComputeMode::calibrated, "");
    EXPECT_EQ(computation.label(), "real");
    computation.charge(Work::comparison, 1e18);
}

} // namespace
} // namespace workloads
