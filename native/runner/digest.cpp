#include "digest.hpp"

#include "plain_file.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace steelyard {

namespace {

constexpr long ns_per_s = 1'000'000'000;

timespec a_nanosecond_before(timespec time) {
    if (time.tv_nsec > 0) {
        return {time.tv_sec, time.tv_nsec - 1};
    }
    return {time.tv_sec - 1, ns_per_s - 1};
}

/// Whether a write from now on would change the time, on file systems with coarse times too.
bool is_old(const timespec& time) {
    constexpr time_t coarsest_s = 3;
    timespec now{};
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec - time.tv_sec > coarsest_s;
}

bool is_same(const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

} // namespace

Digest digest_file(int fd, std::uint64_t bytes) {
    if (bytes > digest_limit_bytes) {
        return {DigestState::too_long, {}};
    }
    static char buffer[16384];
    Sha256 sha;
    std::uint64_t at = 0;
    while (at < bytes) {
        const std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - at, sizeof buffer));
        const ssize_t count = pread(fd, buffer, room, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return {};
        }
        sha.add({buffer, static_cast<std::size_t>(count)});
        at += static_cast<std::uint64_t>(count);
    }
    return {DigestState::whole, sha.finish()};
}

void WatchedFile::watch(const char* path) {
    watched_ = false;
    int fd = open_plain_path(path, O_RDONLY, Links::refused);
    const bool is_behind_link = -fd == NotPlain::behind_link;
    if (is_behind_link) { // a program may have put the link there: what it leads to keeps its times
        fd = open_plain_path(path, O_RDONLY, Links::followed);
    }
    if (fd < 0) { // what is no plain file, too
        return;
    }
    struct stat file{};
    if (fstat(fd, &file) == 0 && is_behind_link) {
        watched_ = is_old(file.st_mtim);
        inode_ = file.st_ino;
        modified_ = file.st_mtim;
    } else if (fstat(fd, &file) == 0) {
        const timespec times[2] = {{0, UTIME_OMIT}, a_nanosecond_before(file.st_mtim)};
        // A file of somebody else, or of a file system with coarse times, is not watched: it counts as
        // written.
        watched_ = futimens(fd, times) == 0 && fstat(fd, &file) == 0 && is_same(file.st_mtim, times[1]);
        inode_ = file.st_ino;
        modified_ = file.st_mtim;
    }
    close(fd);
}

Digest WatchedFile::digest(const char* path) const {
    const int fd = open_plain_path(path, O_RDONLY, Links::followed);
    Digest digest{};
    if (fd < 0) {
        if (is_not_plain(-fd)) {
            digest.state = DigestState::not_plain;
            digest.sha256[0] = static_cast<std::uint8_t>(-fd);
        }
        return digest;
    }
    struct stat file{};
    if (fstat(fd, &file) == 0) {
        digest = watched_ && file.st_ino == inode_ && is_same(file.st_mtim, modified_)
                     ? Digest{DigestState::unwritten, {}}
                     : digest_file(fd, static_cast<std::uint64_t>(file.st_size));
    }
    close(fd);
    return digest;
}

} // namespace steelyard
