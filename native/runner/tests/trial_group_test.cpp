#include "trial_group.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace steelyard {
namespace {

/// A directory that stands for one of cgroupfs, whose files the test writes itself.
class Directory {
  public:
    Directory() : path_("/tmp/steelyard-group-" + std::to_string(getpid())) {}
    ~Directory() { std::filesystem::remove_all(path_); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    void write(const char* name, const char* text) const { std::ofstream(path_ + "/" + name) << text; }
    void empty() const {
        for (const auto& file : std::filesystem::directory_iterator(path_)) {
            std::filesystem::remove(file);
        }
    }

  private:
    std::string path_;
};

Launch with_group(const Directory& directory) {
    Launch launch{};
    launch.counter_count = 2;
    launch.counters[0] = {};
    launch.counters[1] = {};
    launch.counters[1].source = CounterSource::group_cpu;
    launch.counters[1].path = directory.path().c_str();
    return launch;
}

TEST(TrialGroup, IsMadeForATrialAndRemovedAfterIt) {
    const Directory directory;
    const Launch launch = with_group(directory);
    TrialGroup group;
    group.create(launch);
    EXPECT_GE(group.fd(), 0);
    EXPECT_TRUE(std::filesystem::is_directory(directory.path()));
    group.remove();
    EXPECT_EQ(group.fd(), -1);
    EXPECT_FALSE(std::filesystem::exists(directory.path()));
}

TEST(TrialGroup, TakesOverWhatAKilledRunnerLeft) {
    const Directory directory;
    const Launch launch = with_group(directory);
    std::filesystem::create_directory(directory.path());
    TrialGroup group;
    group.create(launch);
    EXPECT_GE(group.fd(), 0);
}

TEST(TrialGroup, IsNotSharedWithAnotherRunner) {
    const Directory directory;
    const Launch launch = with_group(directory);
    std::filesystem::create_directory(directory.path());
    directory.write("cgroup.procs", "1\n"); // so that the directory cannot be removed
    TrialGroup group;
    group.create(launch);
    EXPECT_EQ(group.fd(), -1);
    group.remove();
    EXPECT_TRUE(std::filesystem::exists(directory.path()));
}

TEST(TrialGroup, ReadsCpuTimeAndPeakOfMemory) {
    const Directory directory;
    const Launch launch = with_group(directory);
    TrialGroup group;
    group.create(launch);
    directory.write("cpu.stat", "usage_usec 105075\nuser_usec 100000\nsystem_usec 5075\n");
    directory.write("memory.peak", "73400320\n");
    std::uint64_t value = 0;
    EXPECT_TRUE(group.read_cpu_us(value));
    EXPECT_EQ(value, 105'075U);
    EXPECT_TRUE(group.read_peak_bytes(value));
    EXPECT_EQ(value, 73'400'320U);
    directory.empty();
}

TEST(TrialGroup, HasNoValueWhereAControllerIsMissingOrItsFileSaysSomethingElse) {
    const Directory directory;
    const Launch launch = with_group(directory);
    TrialGroup group;
    std::uint64_t value = 0;
    EXPECT_FALSE(group.read_cpu_us(value));
    group.create(launch);
    EXPECT_FALSE(group.read_peak_bytes(value));
    directory.write("cpu.stat", "nr_periods 4\n");
    EXPECT_FALSE(group.read_cpu_us(value));
    directory.empty();
}

TEST(TrialGroup, IsNotMadeForALaunchThatAsksForNone) {
    TrialGroup group;
    group.create(Launch{});
    EXPECT_EQ(group.fd(), -1);
}

Launch with_limits(const Directory& directory, std::uint64_t cpu_ns, std::uint64_t memory_bytes) {
    Launch launch{};
    launch.cpu_limit_ns = cpu_ns;
    launch.memory_limit_bytes = memory_bytes;
    launch.group_path = const_cast<char*>(directory.path().c_str());
    return launch;
}

TEST(TrialGroup, SaysThatItHasNoLimitOfMemoryWhereTheControllerIsMissing) {
    const Directory directory;
    TrialGroup group;
    group.create(with_limits(directory, 0, 4096));
    EXPECT_EQ(group.error(), ENOENT); // no memory.max, which only cgroupfs makes
    group.create(with_limits(directory, 1, 0));
    EXPECT_EQ(group.error(), 0);
}

TEST(TrialGroup, FindsTheLimitThatWasExceeded) {
    const Directory directory;
    const Launch of_cpu = with_limits(directory, 2'000'000, 0);
    const Launch of_memory = with_limits(directory, 0, 4096);
    TrialGroup group;
    group.create(of_cpu);
    directory.write("cpu.stat", "usage_usec 2000\nuser_usec 2000\n");
    EXPECT_EQ(group.find_exceeded(of_cpu), Step::none);
    directory.write("cpu.stat", "usage_usec 2001\nuser_usec 2001\n");
    EXPECT_EQ(group.find_exceeded(of_cpu), Step::cpu_limit);
    directory.write("memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 0\noom_group_kill 0\n");
    EXPECT_EQ(group.find_exceeded(of_memory), Step::none);
    directory.write("memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 2\noom_group_kill 1\n");
    EXPECT_EQ(group.find_exceeded(of_memory), Step::memory_limit);
    directory.empty();
}

TEST(TrialGroup, ProvesNothingWhereTheKernelDoesNotCount) {
    const Directory directory;
    const Launch of_cpu = with_limits(directory, 2'000'000, 0);
    TrialGroup group;
    group.create(of_cpu);
    EXPECT_EQ(group.find_exceeded(of_cpu), Step::group);
    EXPECT_EQ(group.find_exceeded(with_limits(directory, 0, 4096)), Step::group);
    directory.empty();
}

} // namespace
} // namespace steelyard
