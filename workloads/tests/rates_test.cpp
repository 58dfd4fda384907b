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
    testing::Values("", "{}", R"({"format": "steelyard-rates", "version": 4, "date": "", "operations": {}})",
                    R"({"format": "steelyard-network", "version": 1, "date": "", "operations": {}})",
                    R"({"format": "steelyard-rates", "version": 1, "date": "", "operations": {}})",
                    R"({"format": "steelyard-rates", "version": 1, "date": "", "operations": {"comparison":
                        {"median_s": 0}}})"));

/// Reads of each size take as many seconds as the size has in front of it, and 1 more.
std::string reads_text(std::size_t sizes) {
    std::string list;
    for (std::size_t size = 0; size < sizes; ++size) {
        list += (size == 0 ? R"({"bytes": )" : R"(, {"bytes": )") +
                std::to_string(ReadRates::table_bytes(size)) + R"(, "median_s": )" +
                std::to_string(size + 1) + "}";
    }
    return R"(, "reads": {"dependent": [)" + list + R"(], "independent": [)" + list + "]}";
}

std::string rates_text(int version, std::size_t kinds, const std::string& reads = "") {
    std::string operations;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        operations += (kind == 0 ? "" : ", ") + ('"' + std::string(work_names[kind])) +
                      "\": {\"median_s\": " + std::to_string(kind + 1) + "}";
    }
    return R"({"format": "steelyard-rates", "date": "2026-01-01", "version": )" + std::to_string(version) +
           ", \"operations\": {" + operations + "}" + reads + "}";
}

constexpr auto kinds_of_1 = static_cast<std::size_t>(Work::task);
constexpr auto kinds_of_2 = static_cast<std::size_t>(Work::relaxation);
constexpr std::uint64_t large_bytes = std::uint64_t{1} << 26;

/// What came with version 3 takes what it took before: a comparison an edge, and nothing else.
void expect_no_charge_of_version_3(const Rates& rates) {
    const auto seconds = [&](Work kind) { return rates.seconds[static_cast<std::size_t>(kind)]; };
    EXPECT_EQ(seconds(Work::relaxation), seconds(Work::comparison));
    EXPECT_EQ(seconds(Work::visit), seconds(Work::comparison));
    EXPECT_EQ(seconds(Work::item_class), 0);
    EXPECT_EQ(seconds(Work::delegate), 0);
    EXPECT_EQ(seconds(Work::children), 0);
    EXPECT_EQ(rates.reads.seconds(ReadOrder::dependent, large_bytes), 0);
    EXPECT_EQ(rates.reads.seconds(ReadOrder::independent, large_bytes), 0);
}

TEST(Rates, OfVersionOneChargeTasksAsFibresAndNothingElseThatIsNew) {
    const Rates rates = rates_from(rates_text(1, kinds_of_1));
    const auto seconds = [&](Work kind) { return rates.seconds[static_cast<std::size_t>(kind)]; };
    EXPECT_EQ(seconds(Work::task), seconds(Work::fibre));
    EXPECT_EQ(seconds(Work::parcel), 0);
    EXPECT_EQ(seconds(Work::kept_item), 0);
    EXPECT_EQ(seconds(Work::epoch), 0);
    expect_no_charge_of_version_3(rates);
}

TEST(Rates, OfVersionTwoHaveTheKindsOfItsTime) {
    const Rates rates = rates_from(rates_text(2, kinds_of_2));
    for (std::size_t kind = 0; kind < kinds_of_2; ++kind) {
        EXPECT_EQ(rates.seconds[kind], static_cast<double>(kind + 1));
    }
    expect_no_charge_of_version_3(rates);
    EXPECT_THROW(rates_from(rates_text(2, kinds_of_1)), std::runtime_error);
}

TEST(Rates, OfVersionThreeHaveEveryKindAndReads) {
    const Rates rates = rates_from(rates_text(3, work_names.size(), reads_text(ReadRates::sizes)));
    for (std::size_t kind = 0; kind < work_names.size(); ++kind) {
        EXPECT_EQ(rates.seconds[kind], static_cast<double>(kind + 1));
    }
    EXPECT_EQ(rates.reads.seconds(ReadOrder::independent, large_bytes), 12); // 64 MiB beyond 16 KiB.
}

TEST(Rates, OfVersionThreeAreRefusedWithoutReadsOfEachSize) {
    EXPECT_THROW(rates_from(rates_text(3, work_names.size())), std::runtime_error);
    EXPECT_THROW(rates_from(rates_text(3, work_names.size(), reads_text(ReadRates::sizes - 1))),
                 std::runtime_error);
    EXPECT_THROW(rates_from(rates_text(3, kinds_of_2, reads_text(ReadRates::sizes))), std::runtime_error);
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
