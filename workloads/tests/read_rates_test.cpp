#include "harness/read_rates.hpp"

#include <gtest/gtest.h>

namespace goodsyard {
namespace {

constexpr std::uint64_t kib = 1024;

/// A read of each size takes 1 s more than one of half of it; those of an independent place a tenth.
ReadRates ascending() {
    ReadRates rates;
    for (std::size_t size = 0; size < ReadRates::sizes; ++size) {
        rates.at(ReadOrder::dependent, size) = 5 + static_cast<double>(size);
        rates.at(ReadOrder::independent, size) = 0.5 + 0.1 * static_cast<double>(size);
    }
    return rates;
}

TEST(ReadRates, AreOfTablesOf16KibTo128Mib) {
    EXPECT_EQ(ReadRates::table_bytes(0), 16 * kib);
    EXPECT_EQ(ReadRates::table_bytes(ReadRates::sizes - 1), 128 * kib * kib);
}

TEST(ReadRates, ChargeWhatIsBeyondTheNearestCache) {
    const ReadRates rates = ascending();
    EXPECT_EQ(rates.seconds(ReadOrder::dependent, 0), 0);
    EXPECT_EQ(rates.seconds(ReadOrder::dependent, 16 * kib), 0);
    EXPECT_DOUBLE_EQ(rates.seconds(ReadOrder::dependent, 64 * kib), 2);
    EXPECT_DOUBLE_EQ(rates.seconds(ReadOrder::independent, 64 * kib), 0.2);
}

TEST(ReadRates, AreBetweenThoseOfTheNextSizesByTheLogarithm) {
    const ReadRates rates = ascending();
    EXPECT_NEAR(rates.seconds(ReadOrder::dependent, 23170), 0.5, 1e-4); // The root of 2 times 16 KiB.
    EXPECT_NEAR(rates.seconds(ReadOrder::dependent, 48 * kib), 1.585, 1e-3);
}

TEST(ReadRates, OfLargerTablesAreThoseOfTheLargest) {
    const ReadRates rates = ascending();
    EXPECT_DOUBLE_EQ(rates.seconds(ReadOrder::dependent, 128 * kib * kib), 13);
    EXPECT_DOUBLE_EQ(rates.seconds(ReadOrder::dependent, ~std::uint64_t{0}), 13);
}

TEST(ReadRates, AreNeverNegative) {
    ReadRates rates = ascending();
    rates.at(ReadOrder::dependent, 3) = 1; // As samples of a busy machine may have it.
    EXPECT_EQ(rates.seconds(ReadOrder::dependent, ReadRates::table_bytes(3)), 0);
}

TEST(ReadRates, AreScaledTogether) {
    ReadRates rates = ascending();
    rates.scale(3);
    EXPECT_DOUBLE_EQ(rates.seconds(ReadOrder::dependent, 64 * kib), 6);
    EXPECT_DOUBLE_EQ(rates.seconds(ReadOrder::independent, 64 * kib), 0.6);
}

TEST(ReadRates, OfNoMeasurementChargeNothing) {
    EXPECT_EQ(ReadRates().seconds(ReadOrder::dependent, kib * kib), 0);
}

} // namespace
} // namespace goodsyard
