#include "mafia/bitmaps.hpp"

#include <algorithm>
#include <functional>

namespace goodsyard::mafia {

namespace {

constexpr std::size_t tile = 256; ///< Words: 2 KiB of sums stay in the first-level cache beside the rows.

/// Points of `length` words, from `begin` on, that are in all `count` rows.
[[gnu::always_inline]] inline std::int64_t count_words(const std::uint64_t* bits, std::size_t words,
                                                       const int* rows, std::size_t count, std::size_t begin,
                                                       std::size_t length) {
    std::uint64_t all[tile];
    const std::uint64_t* const first = bits + static_cast<std::size_t>(rows[0]) * words + begin;
    for (std::size_t w = 0; w < length; ++w) {
        all[w] = first[w];
    }
    for (std::size_t i = 1; i < count; ++i) {
        const std::uint64_t* const row = bits + static_cast<std::size_t>(rows[i]) * words + begin;
        for (std::size_t w = 0; w < length; ++w) {
            all[w] &= row[w];
        }
    }
    std::int64_t points = 0;
    for (std::size_t w = 0; w < length; ++w) {
        points += __builtin_popcountll(all[w]);
    }
    return points;
}

using CountWords = std::int64_t (*)(const std::uint64_t*, std::size_t, const int*, std::size_t, std::size_t,
                                    std::size_t);

std::int64_t count_portably(const std::uint64_t* bits, std::size_t words, const int* rows, std::size_t count,
                            std::size_t begin, std::size_t length) {
    return count_words(bits, words, rows, count, begin, length);
}

// The same loop for wider registers, taken where the CPU has them: 4 to 5 times as fast here, and what is
// built still runs anywhere. Clones that the compiler dispatches by itself are chosen by the name of a CPU,
// and miss others.
#if defined(__x86_64__)
[[gnu::target("avx2,popcnt")]] std::int64_t count_by_avx2(const std::uint64_t* bits, std::size_t words,
                                                          const int* rows, std::size_t count,
                                                          std::size_t begin, std::size_t length) {
    return count_words(bits, words, rows, count, begin, length);
}

[[gnu::target("avx512f,avx512vl,avx512vpopcntdq,popcnt")]] std::int64_t
count_by_avx512(const std::uint64_t* bits, std::size_t words, const int* rows, std::size_t count,
                std::size_t begin, std::size_t length) {
    return count_words(bits, words, rows, count, begin, length);
}
#endif

CountWords widest() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl")) {
        return count_by_avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
        return count_by_avx2;
    }
#endif
    return count_portably;
}

} // namespace

Bitmaps make_bitmaps(const Points& points, const std::vector<Window>& windows) {
    Bitmaps bitmaps{(points.count + 63) / 64, {}};
    bitmaps.bits.resize(bitmaps.words * windows.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const Window& window = windows[i];
        const double* const x = points.dimension(window.dimension);
        std::uint64_t* const row = bitmaps.row(static_cast<int>(i));
        for (std::size_t word = 0; word < bitmaps.words; ++word) {
            const std::size_t begin = word * 64;
            const std::size_t length = std::min<std::size_t>(64, points.count - begin);
            std::uint64_t bits = 0;
            for (std::size_t bit = 0; bit < length; ++bit) {
                const double at = x[begin + bit];
                bits |= static_cast<std::uint64_t>((window.lower <= at) & (at < window.upper)) << bit;
            }
            row[word] = bits;
        }
    }
    return bitmaps;
}

std::int64_t count_common(const Bitmaps& bitmaps, const std::vector<int>& rows) {
    static const CountWords count_tile = widest();
    std::int64_t points = 0;
    for (std::size_t begin = 0; begin < bitmaps.words; begin += tile) {
        points += count_tile(bitmaps.bits.data(), bitmaps.words, rows.data(), rows.size(), begin,
                             std::min(tile, bitmaps.words - begin));
    }
    return points;
}

std::vector<std::uint64_t> common(const Bitmaps& bitmaps, const std::vector<int>& rows) {
    std::vector<std::uint64_t> all(bitmaps.row(rows.front()), bitmaps.row(rows.front()) + bitmaps.words);
    for (const int value : rows) {
        std::transform(all.begin(), all.end(), bitmaps.row(value), all.begin(), std::bit_and());
    }
    return all;
}

} // namespace goodsyard::mafia
