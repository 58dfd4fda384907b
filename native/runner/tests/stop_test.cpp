#include "stop.hpp"

#include "clock.hpp"
#include "wakeups.hpp"

#include <gtest/gtest.h>
#include <sys/time.h>

namespace steelyard {
namespace {

/// Until the alarm; 0: none is set.
std::int64_t alarm_in_ns() {
    itimerval timer{};
    getitimer(ITIMER_REAL, &timer);
    return timer.it_value.tv_sec * ns_per_s + timer.it_value.tv_usec * 1'000;
}

class Alarm : public testing::Test {
  protected:
    void TearDown() override { wake_never(); }
    const std::int64_t now_ns = monotonic_ns();
};

TEST_F(Alarm, IsSetAsLateAsItMayCome) {
    wake_between(now_ns + 50 * ns_per_s, now_ns + 60 * ns_per_s);
    EXPECT_GT(alarm_in_ns(), 50 * ns_per_s);
    EXPECT_LE(alarm_in_ns(), 60 * ns_per_s);
}

TEST_F(Alarm, ThatIsSetForAMomentThatWillDoStays) {
    wake_between(now_ns + 50 * ns_per_s, now_ns + 60 * ns_per_s);
    wake_between(now_ns + 55 * ns_per_s, now_ns + 90 * ns_per_s);
    EXPECT_LE(alarm_in_ns(), 60 * ns_per_s);
}

TEST_F(Alarm, ThatWouldComeTooEarlyOrTooLateIsSetAnew) {
    wake_between(now_ns + 50 * ns_per_s, now_ns + 60 * ns_per_s);
    wake_between(now_ns + 80 * ns_per_s, now_ns + 90 * ns_per_s);
    EXPECT_GT(alarm_in_ns(), 80 * ns_per_s);
    wake_between(now_ns + 20 * ns_per_s, now_ns + 30 * ns_per_s);
    EXPECT_LE(alarm_in_ns(), 30 * ns_per_s);
}

TEST_F(Alarm, CanBeTakenBackAndSetAgain) {
    wake_between(now_ns + 50 * ns_per_s, now_ns + 60 * ns_per_s);
    wake_never();
    EXPECT_EQ(alarm_in_ns(), 0);
    wake_between(now_ns + 50 * ns_per_s, now_ns + 60 * ns_per_s);
    EXPECT_GT(alarm_in_ns(), 0);
}

TEST(BeyondAlarms, ACallIsRepeatedUntilItIsNotInterrupted) {
    int calls = 0;
    const int result = beyond_alarms([&] {
        errno = EINTR;
        return ++calls < 4 ? -1 : 7;
    });
    EXPECT_EQ(result, 7);
    EXPECT_EQ(calls, 4);
}

TEST(BeyondAlarms, ACallThatFailsOtherwiseIsNotRepeated) {
    int calls = 0;
    const int result = beyond_alarms([&] {
        ++calls;
        errno = EIO;
        return -1;
    });
    EXPECT_EQ(result, -1);
    EXPECT_EQ(errno, EIO);
    EXPECT_EQ(calls, 1);
}

} // namespace
} // namespace steelyard
