// Asserts that the generator of the NAS kernels is x <- 5^13 x mod 2^46, wherever it starts; the witness is
// arithmetic on 128-bit integers.

#include "npb/random.hpp"

#include <gtest/gtest.h>

namespace goodsyard::npb {
namespace {

__extension__ using Wide = unsigned __int128;

TEST(NpbRandom, EachNumberIsTheLastTimesFiveToThe13ModuloTwoToThe46) {
    Random random;
    Wide x = 314159265;
    for (int i = 0; i < 10'000; ++i) {
        x = x * 1220703125 % (Wide{1} << 46);
        const double expected = static_cast<double>(static_cast<std::uint64_t>(x)) / 0x1p46;
        ASSERT_EQ(random(), expected) << "number " << i;
        ASSERT_EQ(random.state(), static_cast<std::uint64_t>(x));
    }
}

TEST(NpbRandom, SkippingIsStepping) {
    Random stepping(271828183);
    for (std::uint64_t skipped = 0; skipped < 3'000; ++skipped) {
        Random place(271828183, skipped);
        Random next = stepping;
        ASSERT_EQ(place(), next()) << skipped << " skipped";
        stepping();
    }
}

TEST(NpbRandom, SkipsAddUp) {
    const std::uint64_t far = (std::uint64_t{1} << 40) + 12345;
    Random once(Random::seed, far + 678);
    Random first(Random::seed, far);
    Random second(first.state(), 678);
    EXPECT_EQ(once.state(), second.state());
}

TEST(NpbRandom, ThePeriodIsTwoToThe44) {
    EXPECT_EQ(Random::power(std::uint64_t{1} << 44), 1U);
    EXPECT_NE(Random::power(std::uint64_t{1} << 43), 1U);
}

TEST(NpbRandom, NumbersAreInsideOfTheUnitInterval) {
    Random random;
    double sum = 0;
    constexpr int count = 100'000;
    for (int i = 0; i < count; ++i) {
        const double r = random();
        ASSERT_GT(r, 0);
        ASSERT_LT(r, 1);
        sum += r;
    }
    EXPECT_NEAR(sum / count, 0.5, 0.005) << "five standard errors";
}

} // namespace
} // namespace goodsyard::npb
