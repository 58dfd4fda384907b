// How windows follow what was seen of a batch.

#include "harness/window.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace goodsyard {
namespace {

std::vector<double> times(std::size_t few, double few_s, std::size_t rest, double other_s) {
    std::vector<double> all(few, few_s);
    all.insert(all.end(), rest, other_s);
    return all;
}

Batch first_is(Spoilt spoilt) {
    Batch batch;
    batch.spoilt = {static_cast<int>(spoilt), 0};
    return batch;
}

TEST(Window, IsMadeFromWhatOneRunTookOrFromWhatTheUserSays) {
    EXPECT_DOUBLE_EQ(Window(0, 10e-6).length_s(), 80e-6);
    EXPECT_DOUBLE_EQ(Window(0, 1e-9).length_s(), 20e-6) << "not shorter than waiting takes";
    EXPECT_DOUBLE_EQ(Window(5e-6, 10e-6).length_s(), 5e-6);
}

TEST(Window, WidensAtOnceToWhatNineOfTenNeed) {
    Window window(25e-6, 0);
    window.adapt(first_is(Spoilt::no), times(0, 0, 50, 100e-6));
    EXPECT_DOUBLE_EQ(window.length_s(), 150e-6);
}

TEST(Window, DoesNotWidenForTheFewInWhichARankLostItsCpu) {
    Window window(30e-6, 0);
    for (int i = 0; i < 20; ++i) {
        window.adapt(first_is(Spoilt::no), times(4, 5e-3, 46, 18e-6));
    }
    EXPECT_DOUBLE_EQ(window.length_s(), 27e-6);
}

TEST(Window, ShrinksByHalfAtMostAndNotBelowWhatIsNeeded) {
    Window window(10e-3, 0);
    window.adapt(first_is(Spoilt::no), times(0, 0, 50, 100e-6));
    EXPECT_DOUBLE_EQ(window.length_s(), 5e-3);
    for (int i = 0; i < 20; ++i) {
        window.adapt(first_is(Spoilt::no), times(0, 0, 50, 100e-6));
    }
    EXPECT_DOUBLE_EQ(window.length_s(), 150e-6);
    for (int i = 0; i < 20; ++i) {
        window.adapt(first_is(Spoilt::no), times(0, 0, 50, 1e-6));
    }
    EXPECT_DOUBLE_EQ(window.length_s(), 20e-6);
}

TEST(Window, GivesMoreLeadOnlyWhereARankWasNotReadyForTheFirstStart) {
    Window window(100e-6, 0);
    const double before_s = window.lead_s();
    window.adapt(first_is(Spoilt::no), {});
    window.adapt(first_is(Spoilt::began_late), {});
    EXPECT_DOUBLE_EQ(window.lead_s(), before_s) << "a lost CPU is no lack of time";
    window.adapt(first_is(Spoilt::not_ready), {});
    EXPECT_DOUBLE_EQ(window.lead_s(), 2 * before_s);
    EXPECT_DOUBLE_EQ(window.length_s(), 100e-6) << "nothing was seen";
    for (int i = 0; i < 20; ++i) {
        window.adapt(first_is(Spoilt::not_ready), {});
    }
    EXPECT_DOUBLE_EQ(window.lead_s(), 5e-3) << "no lead gives a CPU back";
    for (int i = 0; i < 20; ++i) {
        window.adapt(first_is(Spoilt::no), {});
    }
    EXPECT_DOUBLE_EQ(window.lead_s(), before_s);
}

class BeganLate : public testing::Test {
  protected:
    [[nodiscard]] bool late(double by_s) const {
        return began_late({.team = alone, .clock = clock, .model = model, .oversubscribed = oversubscribed},
                          1.0, 1.0 - model.offset_s + by_s);
    }
    Alone alone;
    Clock clock{Timer::monotonic};
    ClockModel model;
    bool oversubscribed = false;
};

TEST_F(BeganLate, IsWhatExceedsTheReadingsOfAClockThatIsExact) {
    EXPECT_FALSE(late(-1e-6));
    EXPECT_FALSE(late(150e-9));
    EXPECT_TRUE(late(250e-9));
}

TEST_F(BeganLate, IsJudgedWithinTheErrorOfTheClockOnTheTimeOfRankZero) {
    model.offset_s = 0.25;
    model.offset_variance_s2 = 1e-12; // 95 % within 1.96 us.
    EXPECT_FALSE(late(2.1e-6));
    EXPECT_TRUE(late(2.2e-6));
}

TEST_F(BeganLate, IsNothingThatAnOversubscribedMachineCouldAvoid) {
    oversubscribed = true;
    EXPECT_FALSE(late(1e-3));
}

} // namespace
} // namespace goodsyard
