// One bit a point for each dense window: whether the point lies in it.
#pragma once

#include <cstdint>
#include <vector>

#include "mafia/points.hpp"
#include "mafia/windows.hpp"

namespace goodsyard::mafia {

/// Rows of bits, one a window, `words` words each.
struct Bitmaps {
    std::size_t words = 0;
    std::vector<std::uint64_t> bits;

    [[nodiscard]] const std::uint64_t* row(int window) const {
        return bits.data() + static_cast<std::size_t>(window) * words;
    }
    [[nodiscard]] std::uint64_t* row(int window) {
        return bits.data() + static_cast<std::size_t>(window) * words;
    }
};

Bitmaps make_bitmaps(const Points& points, const std::vector<Window>& windows);

/// How many points lie in all of `rows`; ANDs rows.size() · words words.
std::int64_t count_common(const Bitmaps& bitmaps, const std::vector<int>& rows);

/// The points that lie in all of `rows`, as bits. `rows` must not be empty.
std::vector<std::uint64_t> common(const Bitmaps& bitmaps, const std::vector<int>& rows);

} // namespace goodsyard::mafia
