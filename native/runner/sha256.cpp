#include "sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace steelyard {

namespace {

constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t read_word(const std::uint8_t* bytes) {
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U | std::uint32_t{bytes[2]} << 8U |
           std::uint32_t{bytes[3]};
}

} // namespace

void Sha256::add(std::span<const char> bytes) {
    while (!bytes.empty()) {
        const std::size_t held = bytes_ % block_bytes;
        const std::size_t count = std::min(bytes.size(), block_bytes - held);
        std::memcpy(pending_.data() + held, bytes.data(), count);
        bytes_ += count;
        bytes = bytes.subspan(count);
        if (held + count == block_bytes) {
            compress(pending_.data());
        }
    }
}

Sha256::Digest Sha256::finish() {
    // A bit, then zeros, so that the length in bits ends a block.
    constexpr std::size_t length_bytes = 8;
    const std::uint64_t bits = bytes_ * 8;
    const std::size_t held = bytes_ % block_bytes;
    std::array<char, 2 * block_bytes> padding{static_cast<char>(0x80)};
    const std::size_t zeros_end =
        (held + 1 + length_bytes <= block_bytes ? 1 : 2) * block_bytes - length_bytes - held;
    for (std::size_t i = 0; i < length_bytes; ++i) {
        padding[zeros_end + i] = static_cast<char>(bits >> (56U - 8U * i));
    }
    add({padding.data(), zeros_end + length_bytes});

    Digest digest{};
    for (std::size_t i = 0; i < digest.size(); ++i) {
        digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24U - 8U * (i % 4)));
    }
    return digest;
}

void Sha256::compress(const std::uint8_t* block) {
    std::array<std::uint32_t, 64> words{};
    for (std::size_t i = 0; i < 16; ++i) {
        words[i] = read_word(block + 4 * i);
    }
    for (std::size_t i = 16; i < words.size(); ++i) {
        const std::uint32_t w15 = words[i - 15];
        const std::uint32_t w2 = words[i - 2];
        const std::uint32_t sigma0 = std::rotr(w15, 7) ^ std::rotr(w15, 18) ^ (w15 >> 3U);
        const std::uint32_t sigma1 = std::rotr(w2, 17) ^ std::rotr(w2, 19) ^ (w2 >> 10U);
        words[i] = words[i - 16] + sigma0 + words[i - 7] + sigma1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t choice = (e & f) ^ (~e & g);
        const std::uint32_t first = h + sum1 + choice + round_constants[i] + words[i];
        const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + sum0 + majority;
    }
    const std::array<std::uint32_t, 8> rotated{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state_.size(); ++i) {
        state_[i] += rotated[i];
    }
}

} // namespace steelyard
