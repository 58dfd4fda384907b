#include "plain_file.hpp"

#include "stop.hpp"

#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace steelyard {

namespace {

/// Of every opening. Should a pipe or a device come to the name after it was looked at, nobody waits for it,
/// and no terminal becomes ours.
constexpr int careful = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
constexpr mode_t mode_of_new = 0666;

} // namespace

int refuse_kind(const struct stat& file) {
    switch (file.st_mode & S_IFMT) {
    case S_IFREG:
        return file.st_nlink > 1 ? NotPlain::several_names : 0;
    case S_IFLNK:
        return NotPlain::link;
    case S_IFDIR:
        return NotPlain::directory;
    case S_IFIFO:
        return NotPlain::pipe;
    case S_IFSOCK:
        return NotPlain::socket;
    default:
        return NotPlain::device;
    }
}

bool is_not_plain(int error) {
    switch (error) {
    case NotPlain::link:
    case NotPlain::directory:
    case NotPlain::pipe:
    case NotPlain::device:
    case NotPlain::socket:
    case NotPlain::several_names:
    case NotPlain::behind_link:
        return true;
    default:
        return false;
    }
}

const char* file_name(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

int Directory::open_parent(const char* path, Links links) {
    release();
    char parent[PATH_MAX];
    const auto length = static_cast<std::size_t>(file_name(path) - path);
    if (length >= sizeof parent) {
        return ENAMETOOLONG;
    }
    std::memcpy(parent, path, length);
    // A slash at the end would follow a link all the same.
    parent[length > 1 ? length - 1 : length] = '\0';
    if (links == Links::refused) {
        return open_parts(parent);
    }
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (links == Links::not_to_last ? O_NOFOLLOW : 0);
    fd_ = beyond_alarms([&] { return open(length == 0 ? "." : parent, flags); });
    return fd_ < 0 ? errno : 0;
}

/// Opens a directory by the parts of its path, one after the other, none of them a link. 0 or errno.
int Directory::open_parts(char* parts) {
    constexpr int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    fd_ = open(parts[0] == '/' ? "/" : ".", flags);
    char* rest = nullptr;
    for (const char* part = strtok_r(parts, "/", &rest); part != nullptr && fd_ >= 0;
         part = strtok_r(nullptr, "/", &rest)) {
        const int inner = beyond_alarms([&] { return openat(fd_, part, flags); });
        const int error = errno;
        release();
        errno = error;
        fd_ = inner;
    }
    return fd_ < 0 ? errno : 0;
}

int Directory::open_plain(const char* name, int flags) const {
    struct stat file{};
    if (fstatat(fd_, name, &file, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT || (flags & O_CREAT) == 0) {
            return -errno;
        }
        const int fd =
            beyond_alarms([&] { return openat(fd_, name, flags | careful | O_EXCL, mode_of_new); });
        return fd < 0 ? -errno : fd;
    }
    if (const int kind = refuse_kind(file); kind != 0) { // which opening alone could change, as a tape
        return -kind;
    }
    const int fd = beyond_alarms([&] { return openat(fd_, name, (flags & ~(O_CREAT | O_TRUNC)) | careful); });
    if (fd < 0) {
        return -errno;
    }
    // Of the open file itself: the name may have come to lead elsewhere meanwhile.
    int error = fstat(fd, &file) != 0 ? errno : refuse_kind(file);
    if (error == 0 && (flags & O_TRUNC) != 0 && file.st_size > 0 && ftruncate(fd, 0) != 0) {
        error = errno;
    }
    if (error != 0) {
        close(fd);
        return -error;
    }
    return fd;
}

void Directory::release() {
    if (fd_ >= 0) {
        close(fd_);
    }
    fd_ = -1;
}

int HeldDirectory::hold_parent(const char* path) {
    const auto length = static_cast<std::size_t>(file_name(path) - path);
    if (length >= sizeof parent_) {
        return ENAMETOOLONG;
    }
    if (directory_.is_open() && std::memcmp(parent_, path, length) == 0 && parent_[length] == '\0') {
        return 0;
    }
    const int error = directory_.open_parent(path, Links::followed);
    if (error == 0) {
        std::memcpy(parent_, path, length);
        parent_[length] = '\0';
    }
    return error;
}

int open_plain_path(const char* path, int flags, Links links) {
    Directory directory;
    const int error = directory.open_parent(path, links);
    return error != 0 ? -error : directory.open_plain(file_name(path), flags);
}

} // namespace steelyard
