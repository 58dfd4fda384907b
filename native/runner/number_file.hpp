// Files of the kernel that begin with a number, or with a name and a number.
#pragma once

#include <cstdint>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "decimal.hpp"

namespace steelyard {

/// Reads a file that is open, from its beginning. False: it does not begin with `prefix` and a number.
inline bool read_number(int fd, std::string_view prefix, std::uint64_t& value) {
    char buffer[64];
    const ssize_t got = pread(fd, buffer, sizeof buffer, 0);
    std::string_view text(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
    if (!text.starts_with(prefix)) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return take_number(text, value);
}

/// Reads a file of a directory that is open.
inline bool read_number_at(int directory, const char* name, std::string_view prefix, std::uint64_t& value) {
    const int fd = directory < 0 ? -1 : openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool is_whole = read_number(fd, prefix, value);
    close(fd);
    return is_whole;
}

} // namespace steelyard
