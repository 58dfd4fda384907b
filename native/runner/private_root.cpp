#include "private_root.hpp"

#include "decimal.hpp"
#include "mount_namespace.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string_view>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace steelyard {

namespace {

constexpr const char* root_name = "root";
constexpr std::size_t mount_list_bytes = 1U << 20U;

/// Shown as they are: files of the kernel, which no overlay holds.
constexpr const char* of_the_kernel[] = {"/proc", "/sys", "/dev"};
constexpr std::string_view kernel_types[] = {"proc",     "sysfs",     "cgroup",      "cgroup2",    "devpts",
                                             "devtmpfs", "debugfs",   "tracefs",     "securityfs", "configfs",
                                             "bpf",      "fusectl",   "binfmt_misc", "mqueue",     "pstore",
                                             "nsfs",     "hugetlbfs", "efivarfs",    "selinuxfs",  "autofs"};
constexpr const char* shared_memory = "/dev/shm";

/// A file that is open, until the end of a block.
class OpenPath {
  public:
    explicit OpenPath(const char* path) : fd_(open(path, O_PATH | O_CLOEXEC)) {}
    OpenPath(const OpenPath&) = delete;
    OpenPath& operator=(const OpenPath&) = delete;
    ~OpenPath() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    [[nodiscard]] int fd() const { return fd_; }

  private:
    int fd_;
};

bool is_below(std::string_view path, std::string_view directory) {
    return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

bool is_of_the_kernel(std::string_view path) {
    if (is_below(path, shared_memory)) {
        return false;
    }
    for (const char* const directory : of_the_kernel) {
        if (is_below(path, directory)) {
            return true;
        }
    }
    return false;
}

/// The path of `target` below the root that is being made, relative to the stage. False: it is too long.
bool name_target(const char* target, std::span<char> text) {
    const std::size_t before = std::strlen(root_name);
    const std::size_t length = std::strlen(target);
    if (before + length >= text.size()) {
        return false;
    }
    std::memcpy(text.data(), root_name, before);
    std::memcpy(text.data() + before, target, length + 1);
    return true;
}

/// Reads the list of mounts as one text. Empty: it cannot be read, or is longer than a MiB.
std::span<char> read_mounts(Arena& arena) {
    const std::span<char> buffer = arena.take(mount_list_bytes);
    const int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    std::size_t length = 0;
    ssize_t got = fd < 0 || buffer.empty() ? -1 : 1;
    while (got > 0 && length + 1 < buffer.size()) {
        got = read(fd, buffer.data() + length, buffer.size() - 1 - length);
        length += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    if (got != 0) {
        return {};
    }
    buffer[length] = '\0';
    return buffer.first(length);
}

/// Whether a line of mountinfo is of a file system of the kernel's own.
bool has_kernel_type(std::string_view line) {
    constexpr std::string_view mark = " - ";
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) {
        return false;
    }
    line.remove_prefix(at + mark.size());
    line = line.substr(0, line.find(' '));
    for (const std::string_view type : kernel_types) {
        if (line == type) {
            return true;
        }
    }
    return false;
}

/// Ends the fifth field of a line of mountinfo, the place of a mount, and turns its escapes into what they
/// stand for. Null: there is none.
char* take_place(char* line) {
    for (int field = 0; field < 4; ++field) {
        line = std::strchr(line, ' ');
        if (line == nullptr) {
            return nullptr;
        }
        ++line;
    }
    char* const place = line;
    char* end = place;
    for (; *line != ' ' && *line != '\0'; ++end) {
        if (line[0] == '\\' && line[1] != '\0' && line[2] != '\0' && line[3] != '\0') {
            *end = static_cast<char>((line[1] - '0') * 64 + (line[2] - '0') * 8 + (line[3] - '0'));
            line += 4;
        } else {
            *end = *line++;
        }
    }
    *end = '\0';
    return place;
}

unsigned long flags_of(int fd) {
    struct statvfs system{};
    if (fstatvfs(fd, &system) != 0) {
        return 0;
    }
    unsigned long flags = 0;
    flags |= (system.f_flag & ST_RDONLY) != 0 ? static_cast<unsigned long>(MS_RDONLY) : 0UL;
    flags |= (system.f_flag & ST_NOSUID) != 0 ? static_cast<unsigned long>(MS_NOSUID) : 0UL;
    flags |= (system.f_flag & ST_NODEV) != 0 ? static_cast<unsigned long>(MS_NODEV) : 0UL;
    flags |= (system.f_flag & ST_NOEXEC) != 0 ? static_cast<unsigned long>(MS_NOEXEC) : 0UL;
    return flags;
}

/// Shows what is mounted at `place` as it is, but not to be written. 0 or errno.
int show_read_only(const char* place, const char* target, unsigned long flags) {
    if (mount(place, target, nullptr, MS_BIND, nullptr) != 0 ||
        mount(nullptr, target, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, nullptr) != 0) {
        return errno;
    }
    return 0;
}

/// Makes the two directories of an upper layer, relative to the stage; the upper one is what `place` is, for
/// its mode and owner are those that are shown. 0 or errno.
int make_layer(const struct stat& place, std::uint64_t number) {
    ShortPath upper;
    ShortPath work;
    const char* const path = upper.add(number).add("u").c_str();
    if (mkdir(path, 0755) != 0 || mkdir(work.add(number).add("w").c_str(), 0755) != 0) {
        return errno;
    }
    // In this order: a change of the owner can take bits of the mode away.
    if (chown(path, place.st_uid, place.st_gid) != 0 || chmod(path, place.st_mode & 07777U) != 0) {
        return errno;
    }
    return 0;
}

/// Shows one file system of the host; the working directory is the stage. What an overlay cannot hold (a
/// mounted file, some network file systems) is shown read-only, and so is what is read-only. 0 or errno.
int show_mount(const char* place, std::uint64_t number) {
    const OpenPath source(place);
    char target[4096 + 8];
    struct stat file{};
    if (!name_target(place, target)) {
        return ENAMETOOLONG;
    }
    if (source.fd() < 0 || fstat(source.fd(), &file) != 0) {
        return 0; // hidden below another mount, or not to be entered
    }
    const unsigned long flags = flags_of(source.fd());
    if (S_ISDIR(file.st_mode) && (flags & MS_RDONLY) == 0) {
        if (const int error = make_layer(file, number); error != 0) {
            return error;
        }
        ShortPath options; // by number: a path may hold the commas and colons that separate options
        options.add("lowerdir=/proc/self/fd/").add(static_cast<std::uint64_t>(source.fd()));
        options.add(",upperdir=").add(number).add("u,workdir=").add(number).add("w");
        if (mount("overlay", target, "overlay", flags, options.c_str()) == 0) {
            return 0;
        }
        if (std::strcmp(place, "/") == 0) {
            return errno;
        }
    }
    const int error = show_read_only(place, target, flags);
    // A mount whose place the one around it does not show is not seen by the program, as on the host.
    return error == ENOENT || error == ENOTDIR ? 0 : error;
}

int show_as_it_is(const char* place) {
    char target[4096 + 8];
    if (!name_target(place, target)) {
        return ENAMETOOLONG;
    }
    const bool is_shown = mount(place, target, nullptr, MS_BIND | MS_REC, nullptr) == 0;
    return is_shown || errno == ENOENT ? 0 : errno;
}

/// All mounts of the host, those around others first; the working directory is the stage. 0 or errno.
int show_host(std::span<char> mounts) {
    std::uint64_t number = 0;
    if (const int error = show_mount("/", number++); error != 0) {
        return error;
    }
    for (const char* const directory : of_the_kernel) {
        if (const int error = show_as_it_is(directory); error != 0) {
            return error;
        }
    }
    bool has_shared_memory = false;
    char* rest = nullptr;
    for (char* line = strtok_r(mounts.data(), "\n", &rest); line != nullptr;
         line = strtok_r(nullptr, "\n", &rest)) {
        const bool is_kernel = has_kernel_type(line);
        const char* const place = take_place(line);
        if (place == nullptr || std::strcmp(place, "/") == 0 || is_of_the_kernel(place)) {
            continue;
        }
        has_shared_memory |= std::strcmp(place, shared_memory) == 0;
        if (const int error = is_kernel ? show_as_it_is(place) : show_mount(place, number++); error != 0) {
            return error;
        }
    }
    return has_shared_memory ? 0 : show_mount(shared_memory, number);
}

} // namespace

PrivateRoot::~PrivateRoot() {
    if (host_root_fd_ >= 0) {
        close(host_root_fd_);
    }
}

int PrivateRoot::enter(const char* stage) {
    const std::size_t length = std::strlen(stage);
    if (length >= sizeof stage_) {
        return ENAMETOOLONG;
    }
    std::memcpy(stage_, stage, length + 1);
    if (const int error = separate_mounts(); error != 0) {
        return error;
    }
    if (host_root_fd_ < 0) { // of the namespace that this process has by now
        host_root_fd_ = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (host_root_fd_ < 0) {
        return errno;
    }
    const std::span<char> mounts = read_mounts(mounts_);
    if (mounts.empty()) {
        return ENOMEM;
    }
    if (mount("steelyard", stage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0) {
        return errno;
    }
    is_mounted_ = true;
    if (chdir(stage) != 0 || mkdir(root_name, 0755) != 0) {
        return errno;
    }
    if (const int error = show_host(mounts); error != 0) {
        return error;
    }
    return chdir(root_name) != 0 || chroot(".") != 0 ? errno : 0;
}

int PrivateRoot::leave() {
    if (!is_mounted_) {
        return 0;
    }
    if (fchdir(host_root_fd_) != 0 || chroot(".") != 0) {
        return errno;
    }
    // Everything below it, too, and files that are open are read on.
    if (umount2(stage_, MNT_DETACH) != 0) {
        return errno;
    }
    is_mounted_ = false;
    return 0;
}

} // namespace steelyard
