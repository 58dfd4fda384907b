// Writes a checksummed frame through a small buffer, so that a captured megabyte never becomes resident.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crc32.hpp"

namespace steelyard {

class FrameWriter {
  public:
    explicit FrameWriter(int fd) : fd_(fd) {}

    /// Bytes outside the checksum: the frame's head and the checksum itself.
    void put_unchecked(std::span<const char> bytes);
    void put(std::span<const char> bytes);
    /// The first `length` bytes of a file, zeros where it is shorter.
    void put_file(int file, std::uint64_t length);

    template <typename T>
    void put_value(const T& value) {
        put({reinterpret_cast<const char*>(&value), sizeof value});
    }

    [[nodiscard]] std::uint32_t checksum() const { return crc_.value(); }

    /// Writes out what is buffered. 0, or the errno of the first write that failed; nothing is written after
    /// it.
    int finish();

  private:
    void flush();

    static constexpr std::size_t capacity = 16384;
    static char buffer_[capacity]; ///< one for all, since frames are written one after another
    int fd_;
    int error_ = 0;
    std::size_t held_ = 0;
    Crc32 crc_;
};

} // namespace steelyard
