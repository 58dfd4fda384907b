#include "frame_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace steelyard {

char FrameWriter::buffer_[FrameWriter::capacity];

void FrameWriter::put_unchecked(std::span<const char> bytes) {
    while (!bytes.empty()) {
        if (held_ == capacity) {
            flush();
        }
        const std::size_t count = std::min(bytes.size(), capacity - held_);
        std::memcpy(buffer_ + held_, bytes.data(), count);
        held_ += count;
        bytes = bytes.subspan(count);
    }
}

void FrameWriter::put(std::span<const char> bytes) {
    crc_.add(bytes);
    put_unchecked(bytes);
}

void FrameWriter::put_file(int file, std::uint64_t length) {
    std::uint64_t at = 0;
    while (at < length) {
        if (held_ == capacity) {
            flush();
        }
        const std::size_t room =
            static_cast<std::size_t>(std::min<std::uint64_t>(length - at, capacity - held_));
        const ssize_t got = pread(file, buffer_ + held_, room, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        const std::size_t count = got > 0 ? static_cast<std::size_t>(got) : room;
        if (got <= 0) {
            std::memset(buffer_ + held_, 0, count);
        }
        crc_.add({buffer_ + held_, count});
        held_ += count;
        at += count;
    }
}

int FrameWriter::finish() {
    flush();
    return error_;
}

void FrameWriter::flush() {
    std::size_t at = 0;
    while (at < held_ && error_ == 0) {
        const ssize_t wrote = write(fd_, buffer_ + at, held_ - at);
        if (wrote > 0) {
            at += static_cast<std::size_t>(wrote);
        } else if (wrote == 0) {
            error_ = EIO;
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    held_ = 0;
}

} // namespace steelyard
