#include "capture.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace steelyard {
namespace {

constexpr std::uint64_t mib = 1U << 20U;

std::uint64_t allocated_bytes(int fd) {
    struct stat file{};
    fstat(fd, &file);
    return static_cast<std::uint64_t>(file.st_blocks) * 512;
}

TEST(Capture, KeepsTheHeadAndGivesBackTheRest) {
    Capture capture;
    ASSERT_EQ(capture.create("test"), 0);
    ASSERT_EQ(capture.reset(), 0);
    const std::string piece(static_cast<std::size_t>(mib), 'x');
    std::uint64_t most = 0;
    for (int i = 0; i < 64; ++i) {
        ASSERT_EQ(write(capture.fd(), piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
        capture.trim(2 * mib);
        most = std::max(most, allocated_bytes(capture.fd()));
    }
    EXPECT_EQ(capture.finish(true), 64 * mib);
    EXPECT_LE(most, 5 * mib);
    std::string head(static_cast<std::size_t>(2 * mib), '?');
    ASSERT_EQ(pread(capture.fd(), head.data(), head.size(), 0), static_cast<ssize_t>(head.size()));
    EXPECT_EQ(head, piece + piece);
}

TEST(Capture, IsEmptyAfterAResetWhateverTheChildDidToIt) {
    Capture capture;
    ASSERT_EQ(capture.create("test"), 0);
    ASSERT_EQ(capture.reset(), 0);
    ASSERT_EQ(write(capture.fd(), "abc", 3), 3);
    fcntl(capture.fd(), F_SETFL, O_NONBLOCK); // clears O_APPEND, for us too
    lseek(capture.fd(), 1000, SEEK_SET);
    ASSERT_EQ(capture.reset(), 0);
    EXPECT_EQ(capture.finish(true), 0U);
    EXPECT_EQ(lseek(capture.fd(), 0, SEEK_CUR), 0);
    EXPECT_EQ(fcntl(capture.fd(), F_GETFL) & (O_APPEND | O_NONBLOCK), O_APPEND);
}

TEST(Capture, ThatStayedEmptyIsAsNewAfterAResetWhateverTheChildDidToIt) {
    Capture capture;
    ASSERT_EQ(capture.create("test"), 0);
    for (int child = 0; child < 2; ++child) {
        ASSERT_EQ(capture.reset(), 0);
        EXPECT_EQ(lseek(capture.fd(), 0, SEEK_CUR), 0);
        EXPECT_EQ(fcntl(capture.fd(), F_GETFL) & (O_APPEND | O_NONBLOCK), O_APPEND);
        fcntl(capture.fd(), F_SETFL, O_NONBLOCK);
        lseek(capture.fd(), 1000, SEEK_SET);
        EXPECT_EQ(capture.finish(true), 0U);
    }
}

TEST(Capture, IsEmptyAfterAResetWhereSomebodyWroteThatLivedOn) {
    Capture capture;
    ASSERT_EQ(capture.create("test"), 0);
    ASSERT_EQ(capture.reset(), 0);
    EXPECT_EQ(capture.finish(false), 0U);
    ASSERT_EQ(write(capture.fd(), "late", 4), 4);
    ASSERT_EQ(capture.reset(), 0);
    EXPECT_EQ(capture.finish(true), 0U);
}

TEST(Capture, OfNothingKeptHoldsNothing) {
    Capture capture;
    ASSERT_EQ(capture.create("test"), 0);
    ASSERT_EQ(capture.reset(), 0);
    const std::string piece(static_cast<std::size_t>(4 * mib), 'x');
    ASSERT_EQ(write(capture.fd(), piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    EXPECT_EQ(capture.trim(0), 4 * mib);
    EXPECT_EQ(allocated_bytes(capture.fd()), 0U);
}

} // namespace
} // namespace steelyard
