#include "harness/rates.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace goodsyard {
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

TEST(Rates, OfAnOlderProgramAreRefusedWithTheCure) {
    try {
        rates_from(R"({"format": "steelyard-rates", "version": 1, "date": "2026-01-01", "operations":
                       {"comparison": {"median_s": 1e-9}}})");
        FAIL() << "rates without most operations were taken";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(),
                     "the rates cannot be used: they have none of move, and are older than this "
                     "program; run `calibrate` again");
    }
}

TEST(Rates, OfAFileThatIsNotThereSayHowItIsMade) {
    try {
        rates_of_file("/nowhere/rates.json");
        FAIL() << "a file that is not there was read";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "the rates in /nowhere/rates.json cannot be read: No such file or "
                                   "directory; make them with `calibrate "
                                   "--output /nowhere/rates.json`");
    }
}

} // namespace
} // namespace goodsyard
