#include "harness/phases.hpp"

#include <gtest/gtest.h>

namespace goodsyard {
namespace {

TEST(Phases, AddUpWhatIsTimedAndCountedUntilItIsTaken) {
    const Clock clock(Timer::monotonic);
    Phases phases(clock);
    const std::size_t sort = phases.add("sort");
    const std::size_t send = phases.add("send");
    for (int i = 0; i < 3; ++i) {
        const auto timed = phases.time(sort);
        phases.count_operations(sort, 5);
    }
    phases.count_messages(send, 2, 160);
    phases.count_messages(send, 1, 8);
    const auto drained = phases.take();
    ASSERT_EQ(drained.size(), 2U);
    EXPECT_GT(drained[sort].time_s, 0);
    EXPECT_EQ(drained[sort].operations, 15U);
    EXPECT_EQ(drained[send].time_s, 0);
    EXPECT_EQ(drained[send].messages, 3U);
    EXPECT_EQ(drained[send].bytes, 168U);
    EXPECT_EQ(phases.take()[send].messages, 0U) << "what was taken is gone";
    EXPECT_EQ(phases.names(), (std::vector<std::string>{"sort", "send"}));
}

} // namespace
} // namespace goodsyard
