#include "trial_group.hpp"

#include "number_file.hpp"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
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

bool is_group(CounterSource source) {
    return source == CounterSource::group_cpu || source == CounterSource::group_memory;
}

} // namespace

void TrialGroup::create(const Launch& launch) {
    remove();
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
