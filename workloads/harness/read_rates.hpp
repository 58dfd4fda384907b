// What reading places of a table in no order takes, by its size: how much of it which cache has.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace goodsyard {

/// When a program knows the place that it is about to read.
enum class ReadOrder : int {
    dependent,   ///< No sooner than another has been read: it waits for all of the way to memory.
    independent, ///< Beforehand, or it has fetched it ahead: eight are on their way at once.
};
inline constexpr std::array<std::string_view, 2> read_orders = {"dependent", "independent"};

/// Seconds a read, for tables of 16 KiB, which the nearest cache has, and each double of that up to 128 MiB.
class ReadRates {
  public:
    static constexpr std::size_t sizes = 14;

    static constexpr std::uint64_t table_bytes(std::size_t size) {
        return std::uint64_t{1} << (least + size);
    }

    [[nodiscard]] double& at(ReadOrder order, std::size_t size) { return seconds_[index(order)][size]; }
    /// Every read takes `times` as long.
    void scale(double times) {
        for (auto& of_order : seconds_) {
            for (double& seconds : of_order) {
                seconds *= times;
            }
        }
    }

    /// Beyond the nearest cache, with which operations were measured. Between two sizes a straight line over
    /// the logarithm of the size; a larger table takes what the last one does.
    [[nodiscard]] double seconds(ReadOrder order, std::uint64_t bytes) const {
        const std::uint64_t within = std::clamp(bytes, table_bytes(0), table_bytes(sizes - 1));
        const auto below = static_cast<std::size_t>(std::bit_width(within)) - 1 - least;
        const auto& of_order = seconds_[index(order)];
        const double over = static_cast<double>(within) / static_cast<double>(table_bytes(below));
        const double total =
            over > 1 ? std::lerp(of_order[below], of_order[below + 1], std::log2(over)) : of_order[below];
        return std::max(0.0, total - of_order[0]);
    }

  private:
    static constexpr std::size_t least = 14; ///< Bits of the first size.
    static constexpr std::size_t index(ReadOrder order) { return static_cast<std::size_t>(order); }

    std::array<std::array<double, sizes>, read_orders.size()> seconds_ = {};
};

} // namespace goodsyard
