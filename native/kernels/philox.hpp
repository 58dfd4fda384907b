// Philox-4x32-10, side by side for many counters (see resample.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace steelyard {

template <std::size_t lanes>
struct Words {
    std::array<std::array<std::uint32_t, lanes>, 4> word;
};

// Four words for each of `lanes` successive counters: {first + lane, its upper half, draw, stream}.
template <std::size_t lanes>
[[gnu::always_inline]] inline void philox(std::uint64_t first, std::uint32_t draw, std::uint32_t stream,
                                          std::uint64_t seed, Words<lanes>& out) {
    alignas(64) std::array<std::uint32_t, lanes> a, b, c, d;
    for (std::size_t l = 0; l < lanes; ++l) {
        const std::uint64_t counter = first + l;
        a[l] = static_cast<std::uint32_t>(counter);
        b[l] = static_cast<std::uint32_t>(counter >> 32);
        c[l] = draw;
        d[l] = stream;
    }
    auto key0 = static_cast<std::uint32_t>(seed);
    auto key1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        for (std::size_t l = 0; l < lanes; ++l) {
            const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * a[l];
            const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c[l];
            const std::uint32_t next_a = static_cast<std::uint32_t>(p1 >> 32) ^ b[l] ^ key0;
            const std::uint32_t next_c = static_cast<std::uint32_t>(p0 >> 32) ^ d[l] ^ key1;
            b[l] = static_cast<std::uint32_t>(p1);
            d[l] = static_cast<std::uint32_t>(p0);
            a[l] = next_a;
            c[l] = next_c;
        }
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    out.word = {a, b, c, d};
}

} // namespace steelyard
