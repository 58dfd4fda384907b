// Keys to be sorted, by index in the sequence of all: the same for any number of ranks and any blocks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "harness/random.hpp"
#include "sorting/item.hpp"

namespace goodsyard::sorting {

enum class Distribution : int { uniform, gaussian, zipf, few, equal, sorted, reverse, pieces };

inline constexpr std::array<std::string_view, 8> distribution_names = {
    "uniform", "gaussian", "zipf", "few", "equal", "sorted", "reverse", "pieces"};

/// What keys stand for; they are sorted as unsigned ones of the same order.
enum class KeyType : int { u64, i64, f64 };

class Input {
  public:
    Input(Distribution distribution, KeyType type, std::uint64_t total, std::uint64_t seed)
        : distribution_(distribution), type_(type), total_(total), random_(seed, stream) {}

    [[nodiscard]] Key key(std::uint64_t index) const {
        const Key drawn = draw(index);
        switch (type_) {
        case KeyType::i64:
            return ordered(to_signed(drawn));
        case KeyType::f64: // From -8 to 8.
            return ordered(static_cast<double>(to_signed(drawn)) * 0x1p-60);
        case KeyType::u64:
            break;
        }
        return drawn;
    }

  private:
    static constexpr std::uint64_t stream = 4;
    static constexpr std::uint64_t few = 8;
    static constexpr double zipf_values = 1e6;
    static constexpr std::uint64_t pieces = 16; ///< runs that are sorted, in another order

    [[nodiscard]] Key draw(std::uint64_t index) const {
        switch (distribution_) {
        case Distribution::gaussian: // Mean 2^63, standard deviation 2^60; what is 8 of them off is clamped.
            return ordered(static_cast<std::int64_t>(std::clamp(random_.normal(index), -7.9, 7.9) * 0x1p60));
        case Distribution::zipf: // v about as often as 1/v
            return static_cast<Key>(std::pow(zipf_values, random_.unit(index)));
        case Distribution::few:
            return random_.below(few, index) * (top_bit / few);
        case Distribution::equal:
            return top_bit;
        case Distribution::sorted:
            return index * step();
        case Distribution::reverse:
            return (total_ - 1 - index) * step();
        case Distribution::pieces: {
            const std::uint64_t length = total_ / pieces + 1;
            return ((index / length * 5 + 3) % pieces * length + index % length) * (step() / 2);
        }
        case Distribution::uniform:
            break;
        }
        return random_.bits(index);
    }
    [[nodiscard]] std::uint64_t step() const {
        return ~std::uint64_t{0} / std::max<std::uint64_t>(total_, 1);
    }

    Distribution distribution_;
    KeyType type_;
    std::uint64_t total_;
    Random random_;
};

inline void put(Key& item, Key key, std::uint64_t /*index*/) {
    item = key;
}
/// The payload is the index, by which one sees whether equal keys kept their order.
inline void put(Record& item, Key key, std::uint64_t index) {
    item = {key, index};
}

} // namespace goodsyard::sorting
