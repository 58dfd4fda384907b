#include "launch_store.hpp"

#include "launch_frame.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace steelyard {
namespace {

using testing::LaunchFrame;

class LaunchStoreTest : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(store.create(), 0);
        ASSERT_EQ(pipe(ends), 0);
    }
    void TearDown() override {
        close(ends[0]);
        close(ends[1]);
    }
    int define(std::uint32_t id, const std::string& frame) {
        EXPECT_EQ(write(ends[1], frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
        return store.define(id, frame.size(), ends[0]);
    }

    LaunchStore store;
    Arena arena;
    int ends[2] = {};
};

TEST_F(LaunchStoreTest, GivesBackEachLaunchUnderItsNumber) {
    for (std::uint32_t id = 0; id < 10; ++id) {
        LaunchFrame frame;
        frame.argv = {"program", std::string(std::size_t{id} * 1'000, 'x')};
        ASSERT_EQ(define(id, frame.bytes()), 0);
    }
    Launch launch{};
    for (const std::uint32_t id : {9U, 0U, 5U}) {
        ASSERT_EQ(store.load(id, launch, arena), nullptr);
        EXPECT_EQ(std::string(launch.argv[1]).size(), id * 1'000);
    }
}

TEST_F(LaunchStoreTest, TakesALaunchAsLargeAsTheKernelTakes) {
    LaunchFrame frame;
    frame.env.assign(20, "A=" + std::string(3'000, 'x'));
    ASSERT_EQ(define(0, frame.bytes()), 0);
    Launch launch{};
    ASSERT_EQ(store.load(0, launch, arena), nullptr);
    EXPECT_EQ(launch.env_bytes, 20U * (3'002 + 1 + 8));
}

TEST_F(LaunchStoreTest, RefusesANumberThatIsNotTheNextOne) {
    EXPECT_EQ(define(1, LaunchFrame().bytes()), EPROTO);
}

TEST_F(LaunchStoreTest, SaysThatALaunchWasNeverDefined) {
    Launch launch{};
    EXPECT_NE(store.load(0, launch, arena), nullptr);
}

TEST_F(LaunchStoreTest, CountsFromZeroAgainAfterForgetting) {
    ASSERT_EQ(define(0, LaunchFrame().bytes()), 0);
    ASSERT_EQ(store.clear(), 0);
    Launch launch{};
    EXPECT_NE(store.load(0, launch, arena), nullptr);
    LaunchFrame second;
    second.path = "/bin/false";
    ASSERT_EQ(define(0, second.bytes()), 0);
    ASSERT_EQ(store.load(0, launch, arena), nullptr);
    EXPECT_STREQ(launch.path, "/bin/false");
}

} // namespace
} // namespace steelyard
