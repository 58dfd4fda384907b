#include "digest.hpp"

#include "stop.hpp"

#include <algorithm>
#include <cerrno>
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
    struct stat file{};
    watched_ = stat(path, &file) == 0 && S_ISREG(file.st_mode);
    if (!watched_) {
        return;
    }
    const timespec times[2] = {{0, UTIME_OMIT}, a_nanosecond_before(file.st_mtim)};
    // A file of somebody else, or of a file system with coarse times, is not watched: it counts as written.
    watched_ =
        utimensat(AT_FDCWD, path, times, 0) == 0 && stat(path, &file) == 0 && is_same(file.st_mtim, times[1]);
    inode_ = file.st_ino;
    modified_ = file.st_mtim;
}

Digest WatchedFile::digest(const char* path) const {
    const int fd = beyond_alarms([&] { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
    if (fd < 0) {
        return {};
    }
    struct stat file{};
    Digest digest{};
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode)) {
        digest = watched_ && file.st_ino == inode_ && is_same(file.st_mtim, modified_)
                     ? Digest{DigestState::unwritten, {}}
                     : digest_file(fd, static_cast<std::uint64_t>(file.st_size));
    }
    close(fd);
    return digest;
}

} // namespace steelyard
