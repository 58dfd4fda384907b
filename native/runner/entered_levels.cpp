#include "entered_levels.hpp"

#include "plain_file.hpp"
#include "stop.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace steelyard {

EnteredLevels::~EnteredLevels() {
    if (fd_ >= 0) {
        close(fd_);
    }
}

void EnteredLevels::place_beside(const char* journal_path) {
    constexpr char suffix[] = ".levels";
    const std::size_t length = std::strlen(journal_path);
    if (length + sizeof suffix > sizeof path_) {
        return; // then entering says ENAMETOOLONG
    }
    std::memcpy(path_, journal_path, length);
    std::memcpy(path_ + length, suffix, sizeof suffix);
}

int EnteredLevels::enter(const EnteredLevel& level) {
    if (count_ == capacity) {
        return E2BIG;
    }
    levels_[count_++] = level;
    return write_down();
}

int EnteredLevels::leave(std::uint32_t level) {
    EnteredLevel* const end = levels_ + count_;
    count_ = static_cast<std::size_t>(
        std::remove_if(levels_, end,
                       [level](const EnteredLevel& entered) { return entered.level == level; }) -
        levels_);
    return write_down();
}

const EnteredLevel* EnteredLevels::last() const {
    return count_ == 0 ? nullptr : levels_ + count_ - 1;
}

void EnteredLevels::forget_last(bool was_left) {
    --count_;
    if (!was_left) {
        stuck_[stuck_count_++] = levels_[count_].level;
    }
    write_down();
}

int EnteredLevels::write_down() {
    if (fd_ < 0) {
        if (path_[0] == '\0') {
            return ENAMETOOLONG;
        }
        fd_ = open_plain_path(path_, O_WRONLY | O_CREAT, Links::not_to_last);
        if (fd_ < 0) {
            return -fd_;
        }
    }
    std::uint32_t open_levels[2 * capacity];
    const std::size_t count = count_ + stuck_count_;
    for (std::size_t i = 0; i < count; ++i) {
        open_levels[i] = i < stuck_count_ ? stuck_[i] : levels_[i - stuck_count_].level;
    }
    const auto bytes = static_cast<ssize_t>(count * sizeof *open_levels);
    if (pwrite(fd_, open_levels, static_cast<std::size_t>(bytes), 0) != bytes || ftruncate(fd_, bytes) != 0) {
        return errno;
    }
    return beyond_alarms([this] { return fdatasync(fd_); }) == 0 ? 0 : errno;
}

} // namespace steelyard
