#include "counters.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

Launch asking_for(std::uint32_t type, std::uint64_t config) {
    Launch launch{};
    launch.counter_count = 1;
    launch.counters[0] = {"counter", 7, type, config, false};
    return launch;
}

TEST(Counters, OfAnEventThatDoesNotExistAreNotAvailable) {
    const Counters counters(asking_for(9'999, 0));
    CounterValue value{1.0, true};
    counters.read(&value);
    EXPECT_FALSE(value.available);
}

TEST(Counters, OfAnEventThatNeverRanAreNotAvailable) {
    const Counters counters(asking_for(1, 1)); // task clock, enabled only by execve
    CounterValue value{1.0, true};
    counters.read(&value);
    EXPECT_FALSE(value.available);
}

} // namespace
} // namespace steelyard
