#include "uts/sha1.hpp"

#include <bit>
#include <utility>

#include "harness/failure.hpp"

namespace goodsyard::uts {

namespace {

using Block = std::array<std::uint32_t, 16>;

constexpr Digest initial = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
constexpr std::uint32_t end_of_message = 0x80000000;
constexpr int bits_of_word = 32;

template <std::size_t Round>
constexpr std::uint32_t mixed(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    if constexpr (Round < 20) {
        return (d ^ (b & (c ^ d))) + 0x5A827999;
    } else if constexpr (Round < 40) {
        return (b ^ c ^ d) + 0x6ED9EBA1;
    } else if constexpr (Round < 60) {
        return ((b & c) | (d & (b | c))) + 0x8F1BBCDC;
    } else {
        return (b ^ c ^ d) + 0xCA62C1D6;
    }
}

/// One of the 80 rounds; `words` are the last 16 of the message schedule.
template <std::size_t Round>
[[gnu::always_inline]] inline void advance(Digest& state, Block& words) {
    std::uint32_t& word = words[Round % 16];
    if constexpr (Round >= 16) {
        word =
            std::rotl(words[(Round + 13) % 16] ^ words[(Round + 8) % 16] ^ words[(Round + 2) % 16] ^ word, 1);
    }
    auto& [a, b, c, d, e] = state;
    const std::uint32_t next = std::rotl(a, 5) + mixed<Round>(b, c, d) + e + word;
    state = {next, a, std::rotl(b, 30), c, d};
}

template <std::size_t... Round>
[[gnu::always_inline]] inline Digest hashed(Block words, std::index_sequence<Round...> /*rounds*/) {
    Digest state = initial;
    (advance<Round>(state, words), ...);
    for (std::size_t i = 0; i < state.size(); ++i) {
        state[i] += initial[i];
    }
    return state;
}

/// Of a block with its padding.
[[gnu::always_inline]] inline Digest hashed(const Block& block) {
    return hashed(block, std::make_index_sequence<80>());
}

} // namespace

Sha1::Sha1(Sha request) : children_(&portable_children) {
    if (request == Sha::instructions && !has_sha_instructions()) {
        throw UsageError("--sha instructions: this processor has none; portable, or automatic");
    }
    if (request != Sha::portable && has_sha_instructions()) {
        children_ = &children_by_instructions;
    }
}

Digest Sha1::root(std::uint32_t seed) {
    return hashed({0, 0, 0, 0, seed, end_of_message, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5 * bits_of_word});
}

void Sha1::portable_children(const Digest& parent, std::uint32_t first, std::span<Digest> states) {
    const auto [a, b, c, d, e] = parent;
    for (Digest& state : states) {
        state = hashed({a, b, c, d, e, first++, end_of_message, 0, 0, 0, 0, 0, 0, 0, 0, 6 * bits_of_word});
    }
}

} // namespace goodsyard::uts
