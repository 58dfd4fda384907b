#include "trial_group.hpp"

#include "number_file.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace steelyard {

namespace {

/// A process that was reaped may stand in its group for a moment longer: 100 ms in all.
constexpr int removals = 100;
constexpr timespec pause{0, 1'000'000};

void remove_directory(const char* path) {
    for (int i = 0; i < removals && rmdir(path) != 0 && errno == EBUSY; ++i) {
        nanosleep(&pause, nullptr);
    }
}

/// 0 or errno.
int write_number_at(int directory, const char* name, std::uint64_t value) {
    const int fd = openat(directory, name, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    ShortPath text;
    text.add(value);
    const int error = write(fd, text.c_str(), std::strlen(text.c_str())) < 0 ? errno : 0;
    close(fd);
    return error;
}

/// The number behind a name at the beginning of any line. False: no line begins with it.
bool read_counted_at(int directory, const char* name, std::string_view prefix, std::uint64_t& value) {
    const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    char buffer[512];
    const ssize_t got = read(fd, buffer, sizeof buffer);
    close(fd);
    std::string_view text(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!text.empty() && !text.starts_with(prefix)) {
        const std::size_t end = text.find('\n');
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (text.empty()) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return take_number(text, value);
}

bool is_group(CounterSource source) {
    return source == CounterSource::group_cpu || source == CounterSource::group_memory;
}

} // namespace

void TrialGroup::create(const Launch& launch) {
    remove();
    error_ = 0;
    path_ = has_limits(launch) ? launch.group_path : nullptr;
    for (std::uint32_t i = 0; i < launch.counter_count && path_ == nullptr; ++i) {
        if (is_group(launch.counters[i].source)) {
            path_ = launch.counters[i].path;
        }
    }
    if (path_ == nullptr) {
        return;
    }
    bool is_made = mkdir(path_, 0755) == 0;
    if (!is_made && errno == EEXIST) {
        remove_directory(path_);
        is_made = mkdir(path_, 0755) == 0;
    }
    // One that cannot be removed belongs to another runner, whose processes would be counted too.
    if (is_made) {
        fd_ = open(path_, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    }
    error_ = fd_ < 0 ? errno : 0;
    if (fd_ >= 0 && launch.memory_limit_bytes != 0) {
        error_ = limit_memory(launch.memory_limit_bytes);
    }
}

int TrialGroup::limit_memory(std::uint64_t bytes) const {
    if (const int error = write_number_at(fd_, "memory.max", bytes); error != 0) {
        return error;
    }
    // All of its processes end, where one would leave the others waiting; kernels before 4.19 end one.
    if (const int error = write_number_at(fd_, "memory.oom.group", 1); error != 0 && error != ENOENT) {
        return error;
    }
    // A kernel without swap has no such file.
    const int error = write_number_at(fd_, "memory.swap.max", 0);
    return error == ENOENT ? 0 : error;
}

Step TrialGroup::find_exceeded(const Launch& launch) const {
    std::uint64_t value = 0;
    if (launch.cpu_limit_ns != 0) {
        if (!read_cpu_us(value)) {
            return Step::group;
        }
        if (value * 1000 > launch.cpu_limit_ns) {
            return Step::cpu_limit;
        }
    }
    if (launch.memory_limit_bytes != 0) {
        if (!read_counted_at(fd_, "memory.events", "oom_kill ", value)) {
            return Step::group;
        }
        if (value > 0) {
            return Step::memory_limit;
        }
    }
    return Step::none;
}

bool TrialGroup::read_cpu_us(std::uint64_t& value) const {
    return read_number_at(fd_, "cpu.stat", "usage_usec ", value);
}

bool TrialGroup::read_peak_bytes(std::uint64_t& value) const {
    return read_number_at(fd_, "memory.peak", "", value);
}

void TrialGroup::remove() {
    if (fd_ >= 0) {
        close(fd_);
        remove_directory(path_);
    }
    fd_ = -1;
    path_ = nullptr;
}

} // namespace steelyard
