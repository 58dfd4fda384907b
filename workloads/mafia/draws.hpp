// Random numbers by position: the i-th draw of a stream is a function of seed, stream and i alone, so that
// the data do not depend on threads, nor on how many draws something before it took.
#pragma once

#include <cstdint>

namespace workloads::mafia {

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014, DOI 10.1145/2660193.2660195): a bijection of 64 bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// Draws of one stream.
class Draws {
  public:
    Draws(std::uint64_t seed, std::uint64_t stream) : key_(mix64(mix64(seed + golden) + stream * golden)) {}

    [[nodiscard]] std::uint64_t bits(std::uint64_t at) const { return mix64(key_ + (at + 1) * golden); }
    /// Uniform in [0, 1).
    [[nodiscard]] double uniform(std::uint64_t at) const {
        return static_cast<double>(bits(at) >> 11) * 0x1p-53;
    }

  private:
    static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
    std::uint64_t key_;
};

} // namespace workloads::mafia
