// steelyard-cache warm|dropped FILE...: brings files into the page cache, or lets the kernel drop what it
// keeps of them. Only those files: nothing else on the host is touched, and no right is needed but to read
// them.
//
// Exit codes: 0 done · 1 a file cannot be opened, or nothing of any could be dropped · 2 wrong usage.

#include "programs.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

void say(std::string_view text) {
    if (write(2, text.data(), text.size()) < 0) {
        _exit(1);
    }
}

int complain(const char* path, const char* problem) {
    say("steelyard-cache: ");
    say(path);
    say(": ");
    say(problem);
    say("\n");
    return 1;
}

/// Pages of the file that are in memory; negative: errno.
long resident_pages(int fd, std::size_t bytes) {
    static unsigned char states[1U << 16U];
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t window = sizeof states * page;
    long resident = 0;
    for (std::size_t at = 0; at < bytes; at += window) {
        const std::size_t length = bytes - at < window ? bytes - at : window;
        void* const map = mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(at));
        if (map == MAP_FAILED) {
            return -errno;
        }
        if (mincore(map, length, states) == 0) {
            for (std::size_t i = 0; i < (length + page - 1) / page; ++i) {
                resident += states[i] & 1U;
            }
        }
        munmap(map, length);
    }
    return resident;
}

bool read_all(int fd) {
    static char buffer[1U << 17U];
    for (;;) {
        const ssize_t got = read(fd, buffer, sizeof buffer);
        if (got == 0) {
            return true;
        }
        if (got < 0 && errno != EINTR) {
            return false;
        }
    }
}

/// What became of all files together.
struct Outcome {
    long before = 0;
    long after = 0;
};

/// Zero, or an errno.
int drop(int fd, std::size_t bytes, Outcome& outcome) {
    const long before = resident_pages(fd, bytes);
    if (before < 0) {
        return static_cast<int>(-before);
    }
    // Pages that are not on the disk yet cannot be dropped. A file that is open for reading can be synced
    // too.
    if (fdatasync(fd) != 0 && errno != EROFS && errno != EINVAL) {
        return errno;
    }
    if (const int error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); error != 0) {
        return error;
    }
    outcome.before += before;
    outcome.after += resident_pages(fd, bytes);
    return 0;
}

} // namespace

int steelyard::treat_cache(int count, char** arguments) {
    const std::string_view state = count > 2 ? arguments[1] : "";
    if (state != "warm" && state != "dropped") {
        say("usage: steelyard-cache warm|dropped FILE...\n");
        return 2;
    }
    Outcome outcome;
    for (int i = 2; i < count; ++i) {
        const int fd = open(arguments[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        struct stat file{};
        if (fd < 0 || fstat(fd, &file) != 0) {
            return complain(arguments[i], std::strerror(errno));
        }
        if (S_ISREG(file.st_mode) && file.st_size > 0) {
            int error = 0;
            if (state == "dropped") {
                error = drop(fd, static_cast<std::size_t>(file.st_size), outcome);
            } else if (!read_all(fd)) {
                error = errno;
            }
            if (error != 0) {
                return complain(arguments[i], std::strerror(error));
            }
        }
        close(fd);
    }
    if (outcome.before > 0 && outcome.after == outcome.before) {
        return complain(arguments[2],
                        "no page of the files could be dropped: other processes have them mapped,"
                        " or they lie in memory (tmpfs)");
    }
    return 0;
}
