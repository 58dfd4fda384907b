#include "counters.hpp"

#include "temporary_file.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

Launch asking_for(CounterSource source, std::uint32_t type, std::uint64_t config, const char* path = "") {
    Launch launch{};
    launch.counter_count = 1;
    launch.counters[0] = {.name = "counter",
                          .name_length = 7,
                          .source = source,
                          .type = type,
                          .cpu = 0,
                          .config = config,
                          .config1 = 0,
                          .config2 = 0,
                          .scale = 1e-6,
                          .path = path};
    return launch;
}

CounterValue read(const Counters& counters) {
    CounterValue value{1.0, true};
    counters.read(&value, TrialGroup());
    return value;
}

TEST(Counters, OfAnEventThatDoesNotExistAreNotAvailable) {
    const Launch launch = asking_for(CounterSource::process, 9'999, 0);
    EXPECT_FALSE(read(Counters(launch)).available);
}

TEST(Counters, OfAnEventThatNeverRanAreNotAvailable) {
    const Launch launch = asking_for(CounterSource::process, 1, 1); // task clock, enabled only by execve
    EXPECT_FALSE(read(Counters(launch)).available);
}

TEST(Counters, OfAGroupThatDoesNotExistAreNotAvailable) {
    for (const CounterSource source : {CounterSource::group_cpu, CounterSource::group_memory}) {
        const Launch launch = asking_for(source, 0, 0);
        EXPECT_FALSE(read(Counters(launch)).available);
    }
}

TEST(Counters, OfEnergyAreTheDifferenceOfTwoReadingsAndSurviveOneWrapAround) {
    const testing::TemporaryFile file;
    file.write("4000000\n");
    const Launch launch = asking_for(CounterSource::energy_file, 0, 5'000'000, file.path());
    const Counters counters(launch);
    file.write("4500000\n");
    EXPECT_NEAR(read(counters).value, 0.5, 1e-12);
    file.write("250000\n"); // 1 J up to the end of the range, and a quarter behind it
    EXPECT_NEAR(read(counters).value, 1.25, 1e-12);
    EXPECT_TRUE(read(counters).available);
}

TEST(Counters, OfEnergyAreNotAvailableWithoutTheFileOrANumberInIt) {
    const Launch absent = asking_for(CounterSource::energy_file, 0, 5, "/nowhere/energy_uj");
    EXPECT_FALSE(read(Counters(absent)).available);
    const testing::TemporaryFile file;
    file.write("none\n");
    const Launch launch = asking_for(CounterSource::energy_file, 0, 5, file.path());
    EXPECT_FALSE(read(Counters(launch)).available);
}

TEST(Counters, OfAnEventThatHadTheHardwareForAPartOfTheTimeAreScaledToAllOfIt) {
    const EventReading before{.value = 1'000, .enabled_ns = 400, .running_ns = 300};
    const EventReading after{.value = 1'600, .enabled_ns = 800, .running_ns = 400};
    EXPECT_NEAR(count_between(before, after).value, 600.0 * 4, 1e-9);
    EXPECT_TRUE(count_between(before, after).available);
    EXPECT_FALSE(count_between(after, after).available);
}

TEST(Counters, GiveBackAFullRangeThatWrapsToWhereItWas) {
    EXPECT_EQ(count_since(7, 7, 100), 0U);
    EXPECT_EQ(count_since(99, 1, 100), 2U);
    EXPECT_EQ(count_since(1, 99, 100), 98U);
}

} // namespace
} // namespace steelyard
