#include "harness/checksum.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace goodsyard {
namespace {

std::vector<std::uint64_t> some() {
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = 0; i < 100; ++i) {
        values.push_back(Random(3).bits(i));
    }
    return values;
}

Checksum of(const std::vector<std::uint64_t>& values) {
    return checksum<std::uint64_t>(values);
}

TEST(Checksum, IsThatOfASetWhateverItsOrder) {
    std::vector<std::uint64_t> values = some();
    const Checksum before = of(values);
    std::reverse(values.begin(), values.end());
    EXPECT_EQ(of(values), before);
    EXPECT_EQ(before.count, 100U);
}

TEST(Checksum, SeesAValueThatWasLostDoubledOrChanged) {
    const Checksum before = of(some());
    std::vector<std::uint64_t> lost = some();
    lost.pop_back();
    EXPECT_NE(of(lost), before);
    std::vector<std::uint64_t> doubled = some();
    doubled[3] = doubled[4];
    EXPECT_NE(of(doubled), before);
    std::vector<std::uint64_t> changed = some();
    changed[50] ^= 1;
    EXPECT_NE(of(changed), before);
}

TEST(Checksum, SeesChangesThatCancelOutInSumAndExclusiveOr) {
    // 1 + 2 = 3 + 0 and 1 ^ 2 = 3 ^ 0.
    EXPECT_EQ(of({1, 2}).sum, of({3, 0}).sum);
    EXPECT_EQ(of({1, 2}).exclusive_or, of({3, 0}).exclusive_or);
    EXPECT_NE(of({1, 2}), of({3, 0}));
}

TEST(Checksum, TakesFloatingPointBitByBit) {
    const std::vector<double> zeros = {0.0};
    const std::vector<double> negative = {-0.0};
    EXPECT_NE(checksum<double>(zeros), checksum<double>(negative));
}

} // namespace
} // namespace goodsyard
