#include "wakeups.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(Deadline, IsNeverWithoutALimit) {
    EXPECT_EQ(deadline_after(1'000, 0), never_ns);
}

TEST(Deadline, LiesItsLimitAfterNow) {
    EXPECT_EQ(deadline_after(1'000, 500), 1'500);
}

TEST(Deadline, OfALimitBeyondTheClockIsNever) {
    EXPECT_EQ(deadline_after(1'000, std::numeric_limits<std::uint64_t>::max()), never_ns);
    EXPECT_EQ(deadline_after(1'000, static_cast<std::uint64_t>(never_ns) - 1'000), never_ns);
    EXPECT_EQ(deadline_after(1'000, static_cast<std::uint64_t>(never_ns) - 1'001), never_ns - 1);
}

TEST(TrimRhythm, NeverWakesWhenNothingIsCaptured) {
    EXPECT_EQ(TrimRhythm(0, false).next_ns(), never_ns);
}

TEST(TrimRhythm, LooksFirstWithinTheSlackThatLetsTrialsShareAnAlarmAndThenOnTime) {
    const WakeupConfig config;
    TrimRhythm rhythm(1'000, true);
    EXPECT_EQ(rhythm.latest_ns(), 1'000 + config.first_trim_ns + config.first_slack_ns);
    rhythm.looked(rhythm.latest_ns(), 0);
    EXPECT_EQ(rhythm.latest_ns(), rhythm.next_ns());
    EXPECT_EQ(TrimRhythm(0, false).latest_ns(), never_ns);
}

TEST(TrimRhythm, BecomesSlowerUpToItsLimitWhileLittleIsWritten) {
    const WakeupConfig config;
    TrimRhythm rhythm(0, true);
    EXPECT_EQ(rhythm.next_ns(), config.first_trim_ns);
    std::int64_t now_ns = rhythm.next_ns();
    std::int64_t step_ns = 0;
    for (int look = 0; look < 20; ++look) {
        rhythm.looked(now_ns, 100);
        EXPECT_GE(rhythm.next_ns() - now_ns, step_ns);
        step_ns = rhythm.next_ns() - now_ns;
        now_ns = rhythm.next_ns();
    }
    EXPECT_EQ(step_ns, config.slowest_trim_ns);
}

TEST(TrimRhythm, BecomesFasterDownToItsLimitWhileMuchIsWritten) {
    const WakeupConfig config;
    TrimRhythm rhythm(0, true);
    std::int64_t now_ns = rhythm.next_ns();
    for (std::uint64_t look = 1; look < 10; ++look) {
        rhythm.looked(now_ns, look * 2 * config.much_bytes);
        now_ns = rhythm.next_ns();
    }
    rhythm.looked(now_ns, 20 * config.much_bytes);
    EXPECT_EQ(rhythm.next_ns() - now_ns, config.fastest_trim_ns);
}

TEST(TrimRhythm, IsNotConfusedByAFileThatShrinks) {
    TrimRhythm rhythm(0, true);
    rhythm.looked(10, 1'000'000'000);
    const std::int64_t fast_ns = rhythm.next_ns() - 10;
    rhythm.looked(20, 5);
    EXPECT_GT(rhythm.next_ns() - 20, fast_ns);
}

} // namespace
} // namespace steelyard
