// Decimal numbers to and from text without stdio, whose tables would cost the runner resident memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steelyard {

/// A short path such as /proc/123/stat, put together without allocating.
class ShortPath {
  public:
    ShortPath& add(std::string_view text) {
        for (const char c : text) {
            if (length_ + 1 < sizeof text_) {
                text_[length_++] = c;
            }
        }
        return *this;
    }
    ShortPath& add(std::uint64_t number) {
        char digits[20];
        std::size_t count = 0;
        do {
            digits[count++] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        while (count > 0) {
            add(std::string_view(&digits[--count], 1));
        }
        return *this;
    }
    const char* c_str() {
        text_[length_] = '\0';
        return text_;
    }

  private:
    char text_[64] = {};
    std::size_t length_ = 0;
};

/// Takes the first number off `text`. False when no digit comes after leading blanks.
inline bool take_number(std::string_view& text, std::uint64_t& number) {
    std::size_t at = 0;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) {
        ++at;
    }
    const std::size_t first = at;
    number = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
        number = number * 10 + static_cast<std::uint64_t>(text[at++] - '0');
    }
    text.remove_prefix(at);
    return at > first;
}

/// Overwrites `width` characters with `number` in decimal, zeros in front. False when it needs more digits.
inline bool write_fixed_width(char* digits, std::size_t width, std::uint64_t number) {
    for (std::size_t place = width; place > 0; --place) {
        digits[place - 1] = static_cast<char>('0' + number % 10);
        number /= 10;
    }
    return number == 0;
}

} // namespace steelyard
