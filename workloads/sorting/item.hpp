// What is sorted: keys of 64 bits, alone or with a payload. Signed and floating-point keys are sorted as
// unsigned ones of the same order.
#pragma once

#include <bit>
#include <cstdint>

namespace goodsyard::sorting {

using Key = std::uint64_t;

/// A key with something that goes where it goes.
struct Record {
    Key key = 0;
    std::uint64_t payload = 0;
};

constexpr Key key_of(Key item) {
    return item;
}
constexpr Key key_of(const Record& item) {
    return item.key;
}

/// Words of 64 bits of an item, as which it is sent.
template <class Item>
inline constexpr int words_of = sizeof(Item) / sizeof(std::uint64_t); // NOLINT(bugprone-sizeof-expression)

struct LessKey {
    template <class Item>
    constexpr bool operator()(const Item& a, const Item& b) const {
        return key_of(a) < key_of(b);
    }
};

inline constexpr Key top_bit = Key{1} << 63;

/// Order-preserving maps to unsigned keys, and back. −0 comes before +0; NaN has no place.
constexpr Key ordered(std::int64_t value) {
    return static_cast<Key>(value) ^ top_bit;
}
constexpr Key ordered(double value) {
    const auto bits = std::bit_cast<Key>(value);
    return bits & top_bit ? ~bits : bits | top_bit;
}
constexpr std::int64_t to_signed(Key key) {
    return static_cast<std::int64_t>(key ^ top_bit);
}
constexpr double to_double(Key key) {
    return std::bit_cast<double>(key & top_bit ? key ^ top_bit : ~key);
}

} // namespace goodsyard::sorting
