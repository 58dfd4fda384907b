// A unit: a set of dense windows, no two of one dimension. Windows are numbered by dimension, so the set is
// a bit set, joining two units is OR, and leaving a window out clears a bit.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

#include "harness/random.hpp"

namespace goodsyard::mafia {

/// Sets of up to 64 · Words windows.
template <int Words>
class Unit {
  public:
    static constexpr int most_windows = 64 * Words;

    Unit() = default;
    explicit Unit(int window) { words_[word(window)] = bit(window); }

    [[nodiscard]] Unit with(int window) const {
        Unit second = *this;
        second.words_[word(window)] |= bit(window);
        return second;
    }
    [[nodiscard]] Unit without(int window) const {
        Unit second = *this;
        second.words_[word(window)] &= ~bit(window);
        return second;
    }

    /// The windows of one unit only.
    [[nodiscard]] Unit difference(const Unit& second) const {
        Unit result;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            result.words_[i] = words_[i] ^ second.words_[i];
        }
        return result;
    }
    [[nodiscard]] bool contains(const Unit& second) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if ((second.words_[i] & ~words_[i]) != 0) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] int size() const {
        int windows = 0;
        for (const std::uint64_t value : words_) {
            windows += std::popcount(value);
        }
        return windows;
    }
    /// Call `visit(window)` for each window, ascending.
    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t remaining = words_[i]; remaining != 0; remaining &= remaining - 1) {
                visit(static_cast<int>(64 * i) + std::countr_zero(remaining));
            }
        }
    }
    [[nodiscard]] std::vector<int> windows() const {
        std::vector<int> all;
        each([&](int window) { all.push_back(window); });
        return all;
    }
    [[nodiscard]] std::uint64_t hash() const {
        std::uint64_t hashed = 0;
        for (const std::uint64_t value : words_) {
            hashed = mix64(hashed + value);
        }
        return hashed;
    }
    auto operator<=>(const Unit&) const = default;

  private:
    static std::size_t word(int window) { return static_cast<std::size_t>(window) / 64; }
    static std::uint64_t bit(int window) { return std::uint64_t{1} << (window % 64); }

    std::array<std::uint64_t, Words> words_ = {};
};

} // namespace goodsyard::mafia
