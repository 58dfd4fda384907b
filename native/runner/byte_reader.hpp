// Reads little-endian values out of a frame without ever reading past its end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace steelyard {

static_assert(std::endian::native == std::endian::little, "frames are little-endian and copied as they are");

class ByteReader {
  public:
    explicit ByteReader(std::span<char> bytes) : rest_(bytes) {}

    /// False, and every later call too, when the frame ends before the value does.
    template <typename T>
    bool read(T& value) {
        if (failed_ || rest_.size() < sizeof(T)) {
            return fail();
        }
        std::memcpy(&value, rest_.data(), sizeof(T));
        rest_ = rest_.subspan(sizeof(T));
        return true;
    }

    /// A text of a 32-bit length, its bytes and one NUL; `text` points into the frame. A NUL inside is
    /// refused, because the kernel would see a shorter text than the one that was sent.
    bool read_text(char*& text, std::uint32_t& length) {
        if (!read(length) || rest_.size() <= length) {
            return fail();
        }
        if (rest_[length] != '\0' || std::memchr(rest_.data(), '\0', length) != nullptr) {
            return fail();
        }
        text = rest_.data();
        rest_ = rest_.subspan(length + std::size_t{1});
        return true;
    }

    [[nodiscard]] bool at_end() const { return !failed_ && rest_.empty(); }

  private:
    bool fail() {
        failed_ = true;
        return false;
    }

    std::span<char> rest_;
    bool failed_ = false;
};

} // namespace steelyard
