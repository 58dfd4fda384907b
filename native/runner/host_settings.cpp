#include "host_settings.hpp"

#include "plain_file.hpp"
#include "stop.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace steelyard {

namespace {

constexpr std::size_t value_capacity = 256;
constexpr std::size_t path_capacity = 256;

/// A file and the value that it had.
struct Before {
    char path[path_capacity];
    char value[value_capacity];
    bool changed; ///< by the last launch that named it, and not put back since
};

// Static: 32 KB that are touched only where a launch changes the host.
Before befores[LaunchLimits::host_settings];
std::size_t before_count = 0;

/// What comes from `at` on. Not substr, which throws: what it takes to throw is 70 KB of the runner's memory.
std::string_view behind(std::string_view text, std::size_t at) {
    text.remove_prefix(at);
    return text;
}

/// 0 or errno.
int write_line(const char* path, std::string_view value) {
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return errno;
    }
    const int error = write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size()) ? 0 : errno;
    close(fd);
    return error;
}

/// The chosen one of "always [madvise] never", or the whole line. 0 or errno.
int read_value(const char* path, char (&value)[value_capacity]) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return errno;
    }
    const ssize_t got = read(fd, value, sizeof value - 1);
    const int error = got < 0 ? errno : 0;
    close(fd);
    if (error != 0) {
        return error;
    }
    std::string_view text(value, static_cast<std::size_t>(got));
    text = text.substr(0, text.find('\n'));
    if (const std::size_t open_at = text.find('['); open_at != std::string_view::npos) {
        if (const std::size_t close_at = text.find(']', open_at); close_at != std::string_view::npos) {
            text = std::string_view(text.data() + open_at + 1, close_at - open_at - 1);
        }
    }
    std::memmove(value, text.data(), text.size());
    value[text.size()] = '\0';
    return 0;
}

/// Lines of path, tab, value; a torn last one was written before its change, which then was not made.
void undo(int fd) {
    static char text[LaunchLimits::host_settings * (path_capacity + value_capacity + 2)];
    const ssize_t got = pread(fd, text, sizeof text, 0);
    bool all = true;
    // From the end, so that what was changed first is put back last.
    std::string_view rest(text, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    for (std::size_t end = rest.rfind('\n'); end != std::string_view::npos; end = rest.rfind('\n')) {
        rest = rest.substr(0, end);
        const std::size_t before = rest.rfind('\n');
        const std::string_view line = behind(rest, before == std::string_view::npos ? 0 : before + 1);
        const std::size_t tab = line.find('\t');
        char path[path_capacity];
        if (tab >= sizeof path) { // or there is none
            continue;
        }
        std::memcpy(path, line.data(), tab);
        path[tab] = '\0';
        const int error = write_line(path, behind(line, tab + 1));
        all = all && (error == 0 || error == ENOENT);
    }
    // What could not be put back stays written for the next one who tries.
    if (all && ftruncate(fd, 0) == 0) {
        fdatasync(fd);
    }
}

/// The undo journal, ours alone while it is open; made with its directory where `create` says so. Negative:
/// errno.
int open_undo(const char* path, bool create) {
    if (create) {
        char directory[path_capacity];
        const std::size_t slash = std::string_view(path).rfind('/');
        const std::size_t length = slash == std::string_view::npos ? 0 : slash;
        if (length == 0 || length >= sizeof directory) {
            return -EINVAL;
        }
        std::memcpy(directory, path, length);
        directory[length] = '\0';
        if (mkdir(directory, 0755) != 0 && errno != EEXIST) {
            return -errno;
        }
    }
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_APPEND | (create ? O_CREAT : 0), 0600);
    if (fd < 0) {
        return -errno;
    }
    // Nobody else may say what is written to files of the host.
    struct stat file{};
    int error = fstat(fd, &file) != 0 ? errno : 0;
    if (error == 0 && (refuse_kind(file) != 0 || file.st_uid != geteuid() || (file.st_mode & 022) != 0)) {
        error = EPERM;
    }
    if (error == 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        error = errno == EWOULDBLOCK ? EBUSY : errno;
    }
    if (error == 0) {
        return fd;
    }
    close(fd);
    return -error;
}

} // namespace

HostSettings::~HostSettings() {
    if (undo_fd_ >= 0) {
        close(undo_fd_);
    }
}

int HostSettings::apply(const Launch& launch) {
    if (launch.host_count == 0 && active_ == 0) {
        return 0;
    }
    wake_never(); // a write to /sys may give up where an alarm comes
    if (const int error = begin(); error != 0) {
        return error;
    }
    for (std::size_t i = 0; i < before_count; ++i) {
        const auto named = [&](const HostSetting& setting) {
            return std::string_view(setting.path) == befores[i].path;
        };
        if (befores[i].changed && std::none_of(launch.host, launch.host + launch.host_count, named)) {
            if (const int error = write_line(befores[i].path, befores[i].value); error != 0) {
                return error;
            }
            befores[i].changed = false;
        }
    }
    active_ = launch.host_count;
    for (std::uint32_t i = 0; i < launch.host_count; ++i) {
        if (const int error = change(launch.host[i]); error != 0) {
            return error;
        }
    }
    return 0;
}

void HostSettings::restore() {
    if (undo_fd_ < 0) {
        return;
    }
    undo(undo_fd_);
    before_count = 0;
    active_ = 0;
}

int HostSettings::begin() {
    if (undo_fd_ >= 0) {
        return 0;
    }
    const int fd = open_undo(undo_path_, true);
    if (fd < 0) {
        return -fd;
    }
    undo_fd_ = fd;
    undo(fd); // of one that was killed
    return 0;
}

int HostSettings::change(const HostSetting& setting) {
    char now[value_capacity];
    if (const int error = read_value(setting.path, now); error != 0) {
        return error;
    }
    std::size_t at = 0;
    while (at < before_count && std::string_view(befores[at].path) != setting.path) {
        ++at;
    }
    if (at == before_count) {
        const std::size_t path_length = std::strlen(setting.path);
        const std::size_t value_length = std::strlen(now);
        if (at == LaunchLimits::host_settings || path_length >= path_capacity) {
            return E2BIG;
        }
        char line[path_capacity + value_capacity + 2]; // as it is written, without a NUL
        std::memcpy(line, setting.path, path_length);
        line[path_length] = '\t';
        std::copy_n(now, value_length, line + path_length + 1);
        line[path_length + 1 + value_length] = '\n';
        const std::size_t length = path_length + value_length + 2;
        if (write(undo_fd_, line, length) != static_cast<ssize_t>(length) || fdatasync(undo_fd_) != 0) {
            return errno;
        }
        std::memcpy(befores[at].path, setting.path, path_length + 1);
        std::memcpy(befores[at].value, now, value_length + 1);
        ++before_count;
    }
    befores[at].changed = true;
    if (std::string_view(now) == setting.value) {
        return 0;
    }
    if (const int error = write_line(setting.path, setting.value); error != 0) {
        return error;
    }
    // Some files take a value and keep another.
    if (const int error = read_value(setting.path, now); error != 0) {
        return error;
    }
    return std::string_view(now) == setting.value ? 0 : EINVAL;
}

void undo_leftovers(const char* undo_path) {
    const int fd = open_undo(undo_path, false);
    if (fd < 0) {
        return;
    }
    struct stat file{};
    if (fstat(fd, &file) == 0 && file.st_size > 0) {
        undo(fd);
    }
    close(fd);
}

} // namespace steelyard
