#include "harness/rates.hpp"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace goodsyard {
namespace {

TEST(Rates, OfTheSourceHaveEveryKindAndADate) {
    const Rates rates = rates_of_the_source();
    EXPECT_EQ(rates.date.size(), std::string("2026-11-22").size());
    for (std::size_t kind = 0; kind <= static_cast<std::size_t>(Work::task); ++kind) {
        EXPECT_GT(rates.seconds[kind], 1e-11);
        EXPECT_LT(rates.seconds[kind], 1e-5);
    }
}

class BadRates : public testing::TestWithParam<const char*> {};

TEST_P(BadRates, AreRefused) {
    EXPECT_THROW(rates_from(GetParam()), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadRates,
    testing::Values("", "{}", R"({"format": "steelyard-rates", "version": 3, "date": "", "operations": {}})",
                    R"({"format": "steelyard-rates", "version": 1, "date": "", "operations": {}})",
                    R"({"format": "steelyard-rates", "version": 1, "date": "", "operations": {"comparison":
                        {"median_s": 0}}})"));

std::string rates_text(int version, std::size_t kinds) {
    std::string operations;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        operations += (kind == 0 ? "" : ", ") + ('"' + std::string(work_names[kind])) +
                      "\": {\"median_s\": " + std::to_string(kind + 1) + "}";
    }
    return R"({"format": "steelyard-rates", "date": "2026-01-01", "version": )" + std::to_string(version) +
           ", \"operations\": {" + operations + "}}";
}

constexpr auto old_kinds = static_cast<std::size_t>(Work::task);

TEST(Rates, OfVersionOneChargeTasksAsFibresAndNothingElseThatIsNew) {
    const Rates rates = rates_from(rates_text(1, old_kinds));
    const auto seconds = [&](Work kind) { return rates.seconds[static_cast<std::size_t>(kind)]; };
    EXPECT_EQ(seconds(Work::task), seconds(Work::fibre));
    EXPECT_EQ(seconds(Work::parcel), 0);
    EXPECT_EQ(seconds(Work::kept_item), 0);
    EXPECT_EQ(seconds(Work::epoch), 0);
}

TEST(Rates, OfVersionTwoHaveEveryKind) {
    const Rates rates = rates_from(rates_text(2, work_names.size()));
    for (std::size_t kind = 0; kind < work_names.size(); ++kind) {
        EXPECT_EQ(rates.seconds[kind], static_cast<double>(kind + 1));
    }
    EXPECT_THROW(rates_from(rates_text(2, old_kinds)), std::runtime_error);
}

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
