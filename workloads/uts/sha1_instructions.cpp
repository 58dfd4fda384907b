// The instructions of x86-64 for SHA-1 (Intel 64 and IA-32 Architectures Software Developer's Manual, volume
// 2, SHA1RNDS4 and others), two children at a time: each waits for itself in every one of its 20 groups of
// rounds. CMake allows this file, and no other, to use them.

#include "uts/sha1.hpp"

#ifdef __SHA__

#include <cpuid.h>
#include <immintrin.h>
#include <utility>

namespace goodsyard::uts {

namespace {

/// A message being hashed. In a register, the first word is the highest.
struct Lane {
    __m128i words[4]; ///< The last 16 words of the message schedule.
    __m128i abcd;
    __m128i group_before; ///< `abcd` before the last group of rounds, from which `e` comes.
};

__m128i initial_abcd() {
    return _mm_set_epi32(0x67452301, static_cast<int>(0xEFCDAB89), static_cast<int>(0x98BADCFE), 0x10325476);
}
__m128i initial_e() {
    return _mm_set_epi32(static_cast<int>(0xC3D2E1F0), 0, 0, 0);
}

__m128i high_words(std::uint32_t first, std::uint32_t second, std::uint32_t third, std::uint32_t fourth) {
    return _mm_set_epi32(static_cast<int>(first), static_cast<int>(second), static_cast<int>(third),
                         static_cast<int>(fourth));
}

/// A state and the number of a child, with the padding of 192 bits.
[[gnu::always_inline]] inline Lane begun(const Digest& parent, std::uint32_t child) {
    return {{high_words(parent[0], parent[1], parent[2], parent[3]),
             high_words(parent[4], child, 0x80000000, 0), _mm_setzero_si128(), high_words(0, 0, 0, 192)},
            initial_abcd(),
            _mm_setzero_si128()};
}

/// Four of the 80 rounds.
template <std::size_t Group>
[[gnu::always_inline]] inline void advance(Lane& lane) {
    __m128i& own = lane.words[Group % 4];
    if constexpr (Group >= 4) {
        const __m128i partly =
            _mm_xor_si128(_mm_sha1msg1_epu32(own, lane.words[(Group + 1) % 4]), lane.words[(Group + 2) % 4]);
        own = _mm_sha1msg2_epu32(partly, lane.words[(Group + 3) % 4]);
    }
    __m128i e;
    if constexpr (Group == 0) {
        e = _mm_add_epi32(initial_e(), own);
    } else {
        e = _mm_sha1nexte_epu32(lane.group_before, own);
    }
    lane.group_before = lane.abcd;
    lane.abcd = _mm_sha1rnds4_epu32(lane.abcd, e, Group / 5);
}

[[gnu::always_inline]] inline void finish(const Lane& lane, Digest& state) {
    constexpr int reversed = 0x1B;
    const __m128i abcd = _mm_add_epi32(lane.abcd, initial_abcd());
    const __m128i e = _mm_sha1nexte_epu32(lane.group_before, initial_e());
    _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_shuffle_epi32(abcd, reversed));
    state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
}

template <std::size_t... Group>
[[gnu::always_inline]] inline void hash(Lane& lane, std::index_sequence<Group...> /*groups*/) {
    (advance<Group>(lane), ...);
}
template <std::size_t... Group>
[[gnu::always_inline]] inline void hash(Lane& lane, Lane& second, std::index_sequence<Group...> /*groups*/) {
    ((advance<Group>(lane), advance<Group>(second)), ...);
}

} // namespace

bool has_sha_instructions() {
    constexpr unsigned sse41 = 1U << 19U; // Of leaf 1, register ecx.
    constexpr unsigned sha = 1U << 29U;   // Of leaf 7, register ebx.
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    const bool has_sse41 = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & sse41) != 0;
    return has_sse41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & sha) != 0;
}

void children_by_instructions(const Digest& parent, std::uint32_t first, std::span<Digest> states) {
    constexpr auto groups = std::make_index_sequence<20>();
    std::size_t i = 0;
    for (; i + 2 <= states.size(); i += 2, first += 2) {
        Lane lane = begun(parent, first);
        Lane second = begun(parent, first + 1);
        hash(lane, second, groups);
        finish(lane, states[i]);
        finish(second, states[i + 1]);
    }
    if (i < states.size()) {
        Lane last = begun(parent, first);
        hash(last, groups);
        finish(last, states[i]);
    }
}

} // namespace goodsyard::uts

#else

namespace goodsyard::uts {

bool has_sha_instructions() {
    return false;
}

void children_by_instructions(const Digest& /*parent*/, std::uint32_t /*first*/,
                              std::span<Digest> /*states*/) {}

} // namespace goodsyard::uts

#endif
