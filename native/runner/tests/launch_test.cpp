#include "launch.hpp"

#include "launch_frame.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace steelyard {
namespace {

using testing::LaunchFrame;

/// A launch and the memory that it points into.
struct Decoded {
    std::string frame;
    std::vector<char*> pointers;
    Launch launch{};
    const char* problem;

    explicit Decoded(std::string bytes, std::span<char* const> inherited = {})
        : frame(std::move(bytes)), pointers(pointer_space(frame.size(), inherited.size()) / sizeof(char*)),
          problem(decode_launch(frame, inherited,
                                {reinterpret_cast<char*>(pointers.data()), pointers.size() * sizeof(char*)},
                                launch)) {}
};

TEST(DecodeLaunch, GivesBackWhatWasEncoded) {
    LaunchFrame frame;
    frame.flags = 1 | 2 | 4 | 32;
    frame.cpus = {0, 65};
    frame.prepare = {7, 8};
    frame.cleanup = {9};
    frame.counters = {"task_clock", "instructions"};
    frame.argv = {"true", "", "two words"};
    frame.env = {"A=b", "EMPTY="};
    const Decoded decoded(frame.bytes());
    ASSERT_EQ(decoded.problem, nullptr);
    const Launch& launch = decoded.launch;
    EXPECT_EQ(launch.timeout_ns, 5'000'000'000U);
    EXPECT_EQ(launch.nice, -3);
    EXPECT_TRUE(launch.has_nice && launch.aslr_off && launch.has_affinity && launch.wants_queue_wait);
    EXPECT_TRUE(CPU_ISSET(0, &launch.affinity) && CPU_ISSET(65, &launch.affinity));
    EXPECT_EQ(CPU_COUNT(&launch.affinity), 2);
    EXPECT_EQ(launch.prepare_count, 2U);
    EXPECT_EQ(launch.prepare[1], 8U);
    EXPECT_EQ(launch.cleanup[0], 9U);
    const CounterRequest& counter = launch.counters[1];
    EXPECT_STREQ(counter.name, "instructions");
    EXPECT_EQ(counter.source, CounterSource::machine);
    EXPECT_TRUE(counter.config == 1 && counter.config1 == 2 && counter.config2 == 3);
    EXPECT_TRUE(counter.type == 1 && counter.cpu == 7 && counter.scale == 0.5);
    EXPECT_STREQ(counter.path, "/counted");
    EXPECT_EQ(launch.stdout_mode, Output::capture);
    EXPECT_EQ(launch.stderr_mode, Output::null);
    EXPECT_STREQ(launch.path, "/bin/true");
    EXPECT_STREQ(launch.metrics_path, "/tmp/metrics");
    EXPECT_STREQ(launch.argv[1], "");
    EXPECT_STREQ(launch.argv[2], "two words");
    EXPECT_EQ(launch.argv[3], nullptr);
    EXPECT_STREQ(launch.env[1], "EMPTY=");
    EXPECT_EQ(launch.env[2], nullptr);
}

TEST(DecodeLaunch, GivesBackAnExtensionAndItsAbsenceWhereThereIsNone) {
    LaunchFrame frame;
    const Decoded plain(frame.bytes());
    EXPECT_TRUE(plain.launch.policy < 0 && !plain.launch.huge_pages_off && plain.launch.host_count == 0);
    EXPECT_EQ(plain.launch.stack_mib, 0U);
    EXPECT_STREQ(plain.launch.cwd_source, "");
    EXPECT_TRUE(plain.launch.file_count == 0 && !plain.launch.wants_digests);
    frame.flags = 8 | 64;
    frame.extended = true;
    const Decoded decoded(frame.bytes());
    ASSERT_EQ(decoded.problem, nullptr);
    EXPECT_EQ(decoded.launch.policy, SCHED_BATCH);
    EXPECT_TRUE(decoded.launch.huge_pages_off);
    EXPECT_EQ(decoded.launch.stack_mib, 16U);
    EXPECT_STREQ(decoded.launch.cwd_source, "/shown");
    ASSERT_EQ(decoded.launch.host_count, 1U);
    EXPECT_STREQ(decoded.launch.host[0].path, "/sys/setting");
    EXPECT_STREQ(decoded.launch.host[0].value, "value");
    EXPECT_TRUE(decoded.launch.wants_digests);
    ASSERT_EQ(decoded.launch.file_count, 1U);
    EXPECT_STREQ(decoded.launch.files[0], "/result");
}

TEST(DecodeLaunch, AddsWhatIsInheritedOnlyWhereThatIsAskedFor) {
    char first[] = "JOB=7";
    char second[] = "NODES=n[1-4]";
    char* const inherited[] = {first, second};
    LaunchFrame frame;
    const Decoded without(frame.bytes(), inherited);
    EXPECT_EQ(without.launch.env[1], nullptr);
    frame.flags = 16;
    const Decoded with(frame.bytes(), inherited);
    ASSERT_EQ(with.problem, nullptr);
    EXPECT_STREQ(with.launch.env[0], "A=b");
    EXPECT_STREQ(with.launch.env[1], "JOB=7");
    EXPECT_STREQ(with.launch.env[2], "NODES=n[1-4]");
    EXPECT_EQ(with.launch.env[3], nullptr);
    EXPECT_EQ(with.launch.env_bytes,
              without.launch.env_bytes + sizeof first + sizeof second + 2 * sizeof(char*));
}

TEST(DecodeLaunch, RefusesAnExtensionThatIsNotAnnouncedAndOneThatIsCutShort) {
    LaunchFrame frame;
    frame.extended = true;
    EXPECT_NE(Decoded(frame.bytes()).problem, nullptr);
    frame.flags = 8;
    const std::string bytes = frame.bytes();
    for (std::size_t cut = 1; cut < 40; ++cut) {
        EXPECT_NE(Decoded(bytes.substr(0, bytes.size() - cut)).problem, nullptr) << cut;
    }
}

TEST(DecodeLaunch, CountsWhatTheKernelCopiesToTheStack) {
    LaunchFrame frame;
    frame.path = "/bin/true";      // 10 with its NUL
    frame.argv = {"true", ""};     // 5 + 8 and 1 + 8
    frame.env = {"A=b", "LONG=x"}; // 4 + 8 and 7 + 8
    const Decoded decoded(frame.bytes());
    ASSERT_EQ(decoded.problem, nullptr);
    EXPECT_EQ(decoded.launch.argv_bytes, 10U + 13 + 9);
    EXPECT_EQ(decoded.launch.env_bytes, 12U + 15);
}

TEST(DecodeLaunch, FindsTheDigitsOfTheTrialOnlyWhereThereAreTwelve) {
    LaunchFrame frame;
    frame.env = {"A=b", "STEELYARD_TRIAL=cafe-000000000000"};
    Decoded marked(frame.bytes());
    ASSERT_EQ(marked.problem, nullptr);
    ASSERT_NE(marked.launch.trial_digits, nullptr);
    EXPECT_STREQ(marked.launch.trial_digits, "000000000000");
    EXPECT_EQ(marked.launch.trial_digits[-1], '-');

    frame.env = {"STEELYARD_TRIAL=short"};
    EXPECT_EQ(Decoded(frame.bytes()).launch.trial_digits, nullptr);
}

TEST(DecodeLaunch, RefusesEveryFrameThatIsCutShort) {
    LaunchFrame frame;
    frame.cpus = {1};
    frame.prepare = {2};
    frame.counters = {"cycles"};
    const std::string bytes = frame.bytes();
    ASSERT_EQ(Decoded(bytes).problem, nullptr);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_NE(Decoded(bytes.substr(0, size)).problem, nullptr) << size << " of " << bytes.size();
    }
}

TEST(DecodeLaunch, RefusesWhatIsTooLong) {
    EXPECT_NE(Decoded(LaunchFrame().bytes() + '\0').problem, nullptr);
}

TEST(DecodeLaunch, RefusesMoreThanItHasRoomFor) {
    LaunchFrame hooks;
    hooks.prepare.assign(LaunchLimits::hooks + 1, 0);
    EXPECT_NE(Decoded(hooks.bytes()).problem, nullptr);
    LaunchFrame counters;
    counters.counters.assign(LaunchLimits::counters + 1, "cycles");
    EXPECT_NE(Decoded(counters.bytes()).problem, nullptr);
    LaunchFrame cpu;
    cpu.cpus = {LaunchLimits::cpus};
    EXPECT_NE(Decoded(cpu.bytes()).problem, nullptr);
}

TEST(DecodeLaunch, TakesAsManyShortArgumentsAsFitTheFrame) {
    LaunchFrame frame;
    frame.argv.assign(5'000, "");
    frame.env.assign(5'000, "");
    const Decoded decoded(frame.bytes());
    ASSERT_EQ(decoded.problem, nullptr);
    EXPECT_EQ(decoded.launch.argv[5'000], nullptr);
    EXPECT_STREQ(decoded.launch.env[4'999], "");
}

/// Whether every text that the launch points at lies in its frame, with its NUL.
bool stays_inside(const Decoded& decoded) {
    const char* const start = decoded.frame.data();
    const char* const end = start + decoded.frame.size();
    const auto inside = [&](const char* text) {
        return text >= start && text < end && std::find(text, end, '\0') != end;
    };
    const Launch& launch = decoded.launch;
    bool all =
        inside(launch.path) && inside(launch.cwd) && inside(launch.stdin_path) && inside(launch.metrics_path);
    for (char* const* texts : {launch.argv, launch.env}) {
        for (; *texts != nullptr; ++texts) {
            all = all && inside(*texts);
        }
    }
    return all;
}

// What comes is refused or harmless; the sanitizers see to it that nothing outside is touched on the way.
TEST(DecodeLaunch, SurvivesEveryDamage) {
    LaunchFrame frame;
    frame.cpus = {1, 2};
    frame.counters = {"cycles"};
    const std::string bytes = frame.bytes();
    std::mt19937 random(20260101); // NOLINT(bugprone-random-generator-seed): the same damage every time
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string damaged = bytes;
        const int changes = 1 + static_cast<int>(random() % 4);
        for (int change = 0; change < changes; ++change) {
            damaged[random() % damaged.size()] = static_cast<char>(random());
        }
        const Decoded decoded(damaged);
        if (decoded.problem != nullptr) {
            continue;
        }
        ++accepted;
        ASSERT_TRUE(stays_inside(decoded)) << "round " << round;
    }
    EXPECT_GT(accepted, 1'000) << "too few damages were harmless for this test to mean something";
}

TEST(DecodeLaunch, ReadsLimitsAndWhatIsApartFromTheHost) {
    LaunchFrame frame;
    EXPECT_FALSE(has_limits(Decoded(frame.bytes()).launch));
    EXPECT_STREQ(Decoded(frame.bytes()).launch.root_path, "");
    frame.flags = 8 | 128;
    frame.extended = true;
    frame.confined = true;
    const Decoded decoded(frame.bytes());
    ASSERT_EQ(decoded.problem, nullptr);
    EXPECT_TRUE(has_limits(decoded.launch));
    EXPECT_EQ(decoded.launch.cpu_limit_ns, 2'000'000'000U);
    EXPECT_EQ(decoded.launch.memory_limit_bytes, 4096U);
    EXPECT_TRUE(decoded.launch.network_off);
    EXPECT_STREQ(decoded.launch.group_path, "/group");
    EXPECT_STREQ(decoded.launch.root_path, "/stage");
}

TEST(DecodeLaunch, RefusesLimitsWithoutAControlGroup) {
    LaunchFrame frame;
    frame.flags = 128;
    frame.confined = true;
    frame.group = "";
    EXPECT_NE(Decoded(frame.bytes()).problem, nullptr);
}

} // namespace
} // namespace steelyard
