// Which rank owns which element of an array, by one formula for block, cyclic and block-cyclic distributions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace goodsyard::global {

/// How elements are dealt to ranks, in blocks of consecutive elements.
enum class Dealing : int {
    block,        ///< A rank has one block of ⌈size / ranks⌉ elements.
    cyclic,       ///< Element i is on rank i mod ranks.
    block_cyclic, ///< Blocks of a given length are dealt in turn.
};

/// A positive number that others are divided by, again and again: a power of 2 by shifting.
class Divisor {
  public:
    explicit Divisor(std::uint64_t value)
        : value_(value), shift_(std::has_single_bit(value) ? std::countr_zero(value) : not_a_power) {}
    [[nodiscard]] std::uint64_t value() const { return value_; }
    friend std::uint64_t operator/(std::uint64_t number, const Divisor& by) {
        return by.shift_ == not_a_power ? number / by.value_ : number >> static_cast<unsigned>(by.shift_);
    }

  private:
    static constexpr int not_a_power = -1;
    std::uint64_t value_;
    int shift_;
};

/// Where an element lies: its rank, and its place among the elements of that rank.
struct Location {
    int owner;
    std::uint64_t place;
};

/// The elements 0 … size - 1 of an array over ranks.
class Distribution {
  public:
    /// `block` is the length of a block where they are block-cyclic.
    Distribution(std::uint64_t size, int ranks, Dealing dealing, std::uint64_t block = 64)
        : size_(size), ranks_(static_cast<std::uint64_t>(ranks)),
          block_(length(size, ranks, dealing, block)) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] int ranks() const { return static_cast<int>(ranks_.value()); }
    [[nodiscard]] std::uint64_t block() const { return block_.value(); }

    [[nodiscard]] Location locate(std::uint64_t index) const {
        const std::uint64_t block = index / block_;
        const std::uint64_t round = block / ranks_;
        return {static_cast<int>(block - round * ranks_.value()),
                round * block_.value() + index - block * block_.value()};
    }
    /// The element at a place of a rank.
    [[nodiscard]] std::uint64_t index(int rank, std::uint64_t place) const {
        const std::uint64_t round = place / block_;
        return place + (round * (ranks_.value() - 1) + static_cast<std::uint64_t>(rank)) * block_.value();
    }
    /// Elements of a rank.
    [[nodiscard]] std::uint64_t count(int rank) const {
        const std::uint64_t round = block_.value() * ranks_.value();
        const std::uint64_t before = block_.value() * static_cast<std::uint64_t>(rank);
        const std::uint64_t rest = size_ % round;
        return size_ / round * block_.value() + (rest > before ? std::min(rest - before, block_.value()) : 0);
    }

  private:
    static std::uint64_t length(std::uint64_t size, int ranks, Dealing dealing, std::uint64_t block) {
        const auto p = static_cast<std::uint64_t>(ranks);
        switch (dealing) {
        case Dealing::block:
            return std::max<std::uint64_t>(1, (size + p - 1) / p);
        case Dealing::cyclic:
            return 1;
        case Dealing::block_cyclic:
            break;
        }
        return std::max<std::uint64_t>(1, block);
    }

    std::uint64_t size_;
    Divisor ranks_;
    Divisor block_;
};

} // namespace goodsyard::global
