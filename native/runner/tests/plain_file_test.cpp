#include "plain_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace steelyard {
namespace {

namespace fs = std::filesystem;

class PlainFile : public ::testing::Test {
  protected:
    PlainFile() {
        char place[] = "/tmp/steelyard-plain-XXXXXX";
        place_ = mkdtemp(place);
        fs::create_directory(place_ / "ours");
        std::ofstream(target()) << "precious";
    }
    ~PlainFile() override { fs::remove_all(place_); }

    [[nodiscard]] fs::path target() const { return place_ / "victim"; }
    [[nodiscard]] fs::path file() const { return place_ / "ours" / "file"; }
    [[nodiscard]] std::string victim() const { return content(target()); }
    static std::string content(const fs::path& path) {
        std::ifstream stream(path);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    fs::path place_;
};

constexpr int emptied = O_WRONLY | O_CREAT | O_TRUNC;

TEST_F(PlainFile, IsCreatedWhereNothingIsAndEmptiedWhereItIs) {
    for (int round = 0; round < 2; ++round) {
        const int fd = open_plain_path(file().c_str(), emptied, Links::not_to_last);
        ASSERT_GE(fd, 0);
        EXPECT_EQ(fs::file_size(file()), 0U);
        EXPECT_EQ(write(fd, "text", 4), 4);
        close(fd);
    }
    EXPECT_EQ(content(file()), "text");
}

TEST_F(PlainFile, NothingElseIsOpenedOrChanged) {
    const std::vector<std::pair<int, std::function<void()>>> kinds = {
        {NotPlain::link, [this] { fs::create_symlink(target(), file()); }},
        {NotPlain::link, [this] { fs::create_symlink(place_ / "absent", file()); }},
        {NotPlain::several_names, [this] { fs::create_hard_link(target(), file()); }},
        {NotPlain::directory, [this] { fs::create_directory(file()); }},
        {NotPlain::pipe, [this] { ASSERT_EQ(mkfifo(file().c_str(), 0600), 0); }},
        {NotPlain::socket,
         [this] {
             const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
             sockaddr_un address{};
             address.sun_family = AF_UNIX;
             file().string().copy(address.sun_path, sizeof address.sun_path - 1);
             ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
             close(fd);
         }},
    };
    for (const auto& [kind, place] : kinds) {
        place();
        for (const int flags : {emptied, O_RDONLY, O_RDWR | O_CREAT | O_APPEND}) {
            EXPECT_EQ(open_plain_path(file().c_str(), flags, Links::not_to_last), -kind);
        }
        EXPECT_EQ(victim(), "precious");
        EXPECT_FALSE(fs::exists(place_ / "absent"));
        EXPECT_TRUE(fs::exists(fs::symlink_status(file())));
        fs::remove(file());
    }
}

TEST_F(PlainFile, ADeviceIsNotOpened) {
    if (mknod(file().c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) {
        GTEST_SKIP() << "this process may not make device nodes";
    }
    EXPECT_EQ(open_plain_path(file().c_str(), emptied, Links::not_to_last), -NotPlain::device);
}

TEST_F(PlainFile, ADirectoryOfOursIsNotReachedThroughALink) {
    fs::create_directory(place_ / "theirs");
    fs::remove(place_ / "ours");
    fs::create_directory_symlink(place_ / "theirs", place_ / "ours");
    EXPECT_EQ(open_plain_path(file().c_str(), emptied, Links::not_to_last), -ENOTDIR);
    EXPECT_TRUE(fs::is_empty(place_ / "theirs"));
}

TEST_F(PlainFile, NoLinkOnTheWayIsFollowedWhereThatIsRefused) {
    fs::create_directories(place_ / "theirs" / "inner");
    std::ofstream(place_ / "theirs" / "inner" / "file") << "precious";
    fs::create_directory_symlink(place_ / "theirs", place_ / "link");
    const fs::path behind = place_ / "link" / "inner" / "file";
    EXPECT_EQ(open_plain_path(behind.c_str(), emptied, Links::refused), -NotPlain::behind_link);
    EXPECT_EQ(content(behind), "precious");
    const fs::path plain = place_ / "theirs" / "inner" / ".." / "inner" / "file";
    const int fd = open_plain_path(plain.c_str(), emptied, Links::refused);
    ASSERT_GE(fd, 0);
    close(fd);
    EXPECT_EQ(content(behind), "");
    EXPECT_EQ(open_plain_path((place_ / "no" / "file").c_str(), emptied, Links::refused), -ENOENT);
}

TEST_F(PlainFile, ADirectoryThatIsHeldStaysTheSameWhateverTakesItsPlace) {
    HeldDirectory held;
    ASSERT_EQ(held.hold_parent(file().c_str()), 0);
    fs::rename(place_ / "ours", place_ / "moved");
    fs::create_directory(place_ / "theirs");
    std::ofstream(place_ / "theirs" / "file") << "precious";
    fs::create_directory_symlink(place_ / "theirs", place_ / "ours");
    ASSERT_EQ(held.hold_parent(file().c_str()), 0);
    const int fd = held.directory().open_plain("file", emptied);
    ASSERT_GE(fd, 0);
    close(fd);
    EXPECT_EQ(content(place_ / "theirs" / "file"), "precious");
    EXPECT_TRUE(fs::exists(place_ / "moved" / "file"));
}

TEST_F(PlainFile, OneThatIsAbsentIsNotCreatedByReading) {
    EXPECT_EQ(open_plain_path(file().c_str(), O_RDONLY, Links::not_to_last), -ENOENT);
    EXPECT_FALSE(fs::exists(file()));
}

} // namespace
} // namespace steelyard
