#include "surroundings.hpp"

#include "plain_file.hpp"
#include "stop.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <string_view>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace steelyard {

namespace {

constexpr const char* null_path = "/dev/null";
constexpr unsigned long ask_personality = 0xFFFFFFFF;

} // namespace

int Surroundings::initialise() {
    null_fd_ = open(null_path, O_RDWR | O_CLOEXEC);
    null_input_fd_ = open(null_path, O_RDONLY | O_CLOEXEC);
    if (null_fd_ < 0 || null_input_fd_ < 0) {
        return errno;
    }
    initial_personality_ = personality_ = personality(ask_personality);
    if (personality_ < 0) {
        initial_personality_ = personality_ = 0; // a sandbox that refuses even the question
    }
    if (sched_getaffinity(0, sizeof initial_affinity_, &initial_affinity_) != 0) {
        return errno;
    }
    affinity_ = initial_affinity_;
    if (getrlimit(RLIMIT_STACK, &initial_stack_) != 0) {
        return errno;
    }
    stack_bytes_ = initial_stack_.rlim_cur;
    release();
    return 0;
}

void Surroundings::release() {
    for (int fd = 0; fd <= 2; ++fd) {
        duplicate(null_fd_, fd);
    }
    if (chdir("/") != 0) {
        return; // the directory that it is in stays busy, nothing worse
    }
    shown_.hide();
}

SetupFailure Surroundings::apply(const Launch& launch, Captures& captures) {
    if (const SetupFailure failure = enter(launch); failure.step != Step::none) {
        return failure;
    }
    if (const SetupFailure failure = open_streams(launch, captures); failure.step != Step::none) {
        return failure;
    }
    if (const int error = set_aslr(launch.aslr_off); error != 0) {
        return {Step::aslr, error};
    }
    if (const int error = set_affinity(launch.has_affinity ? launch.affinity : initial_affinity_);
        error != 0) {
        return {Step::affinity, error};
    }
    if (const int error = set_huge_pages(launch.huge_pages_off); error != 0) {
        return {Step::huge_pages, error};
    }
    if (const int error = set_stack_limit(launch.stack_mib); error != 0) {
        return {Step::stack_limit, error};
    }
    return {};
}

SetupFailure Surroundings::enter(const Launch& launch) {
    if (shown_.is_shown()) {
        if (chdir("/") != 0) {
            return {Step::cwd, errno};
        }
        shown_.hide();
    }
    if (launch.cwd_source[0] != '\0') {
        if (const int error = shown_.show(launch.cwd_source, launch.cwd); error != 0) {
            return {Step::mount, error};
        }
    }
    if (chdir(launch.cwd) != 0) {
        return {Step::cwd, errno};
    }
    return {};
}

SetupFailure Surroundings::open_streams(const Launch& launch, Captures& captures) {
    const bool no_input = std::string_view(launch.stdin_path) == null_path;
    if (const int error = no_input ? duplicate(null_input_fd_, 0) : open_input(launch.stdin_path);
        error != 0) {
        return {Step::stdin_file, error};
    }
    struct Stream {
        int fd;
        Output mode;
        const char* path;
        Capture& capture;
        Step step;
    };
    const Stream streams[] = {
        {1, launch.stdout_mode, launch.stdout_path, captures.out, Step::stdout_file},
        {2, launch.stderr_mode, launch.stderr_path, captures.err, Step::stderr_file},
    };
    for (const Stream& stream : streams) {
        int error = 0;
        switch (stream.mode) {
        case Output::capture:
            error = stream.capture.reset();
            if (error == 0) {
                error = duplicate(stream.capture.fd(), stream.fd);
            }
            break;
        case Output::null:
            error = duplicate(null_fd_, stream.fd);
            break;
        case Output::file:
            error = open_output(stream.path, stream.fd);
            break;
        }
        if (error != 0) {
            return {stream.step, error};
        }
    }
    return {};
}

/// Makes `target` the same open file as `fd`, which stays open as long as the runner lives. 0 or errno.
int Surroundings::duplicate(int fd, int target) {
    if (shown_as_[target] == fd) {
        return 0;
    }
    if (dup2(fd, target) < 0) {
        return errno;
    }
    shown_as_[target] = fd;
    return 0;
}

/// Makes standard input what the user names, a pipe too. 0 or errno.
int Surroundings::open_input(const char* path) {
    // Opening a pipe waits for its other end.
    const int fd = beyond_alarms([&] { return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY); });
    return fd < 0 ? errno : replace(0, fd);
}

/// Makes `target` a file that is emptied first, which no link leads to. 0 or errno.
int Surroundings::open_output(const char* path, int target) {
    const int fd = open_plain_path(path, O_WRONLY | O_CREAT | O_TRUNC, Links::refused);
    if (fd < 0) {
        return -fd;
    }
    // O_APPEND, so that one file can take both streams; and waiting, as programs expect.
    const int error = fcntl(fd, F_SETFL, O_APPEND) != 0 ? errno : 0;
    if (error != 0) {
        close(fd);
        return error;
    }
    return replace(target, fd);
}

/// Moves an open file to `target`. 0 or errno.
int Surroundings::replace(int target, int fd) {
    shown_as_[target] = -1;
    const int error = dup2(fd, target) < 0 ? errno : 0;
    close(fd);
    return error;
}

int Surroundings::set_aslr(bool off) {
    const int flags = off ? initial_personality_ | ADDR_NO_RANDOMIZE : initial_personality_;
    if (flags == personality_) {
        return 0;
    }
    if (personality(static_cast<unsigned long>(flags)) < 0) {
        return errno;
    }
    personality_ = personality(ask_personality);
    return personality_ == flags ? 0 : ENOSYS;
}

int Surroundings::set_huge_pages(bool off) {
    if (off == huge_pages_off_) {
        return 0;
    }
    // A property of the memory map, which the child shares until its execve and then hands on.
    if (prctl(PR_SET_THP_DISABLE, off ? 1UL : 0UL, 0UL, 0UL, 0UL) != 0) {
        return errno;
    }
    huge_pages_off_ = prctl(PR_GET_THP_DISABLE, 0UL, 0UL, 0UL, 0UL) == 1;
    return huge_pages_off_ == off ? 0 : ENOSYS;
}

int Surroundings::set_stack_limit(std::uint16_t mib) {
    rlim_t soft_limit = initial_stack_.rlim_cur;
    if (mib == unlimited_stack) {
        soft_limit = RLIM_INFINITY;
    } else if (mib != 0) {
        soft_limit = rlim_t{mib} << 20;
    }
    if (soft_limit == stack_bytes_) {
        return 0;
    }
    const rlimit limit{soft_limit, initial_stack_.rlim_max};
    if (setrlimit(RLIMIT_STACK, &limit) != 0) {
        return errno;
    }
    stack_bytes_ = soft_limit;
    return 0;
}

int Surroundings::set_affinity(const cpu_set_t& cpus) {
    if (CPU_EQUAL(&cpus, &affinity_)) {
        return 0;
    }
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
        return errno;
    }
    // The kernel drops CPUs that are absent or not allowed and says nothing.
    if (sched_getaffinity(0, sizeof affinity_, &affinity_) != 0) {
        return errno;
    }
    return CPU_EQUAL(&cpus, &affinity_) ? 0 : EINVAL;
}

} // namespace steelyard
