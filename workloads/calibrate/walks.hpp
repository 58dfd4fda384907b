// Reads of tables of all sizes, in no order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/random.hpp"
#include "harness/read_rates.hpp"

namespace goodsyard {

/// Walks through tables whose entries are the places of the next ones, in one cycle each.
class Walks {
  public:
    /// Of the first `sizes` sizes.
    explicit Walks(std::size_t sizes = ReadRates::sizes) {
        for (std::size_t size = 0; size < sizes; ++size) {
            tables_[size].resize(ReadRates::table_bytes(size) / sizeof(std::uint64_t));
            one_cycle(tables_[size]);
        }
    }

    /// Bring into the caches what they take of a table.
    void warm(std::size_t size) {
        const auto& next = tables_[size];
        sum_ += std::accumulate(next.begin(), next.end(), std::uint64_t{0});
    }
    /// Walk on, by one chain of reads or by eight of them in turns. Returns how many reads there were.
    std::uint64_t walk(ReadOrder order, std::size_t size) {
        const auto& next = tables_[size];
        std::array<std::uint64_t, 8>& at = at_[size];
        if (order == ReadOrder::dependent) {
            for (std::uint64_t i = 0; i < steps; ++i) {
                at[0] = next[at[0]];
            }
            return steps;
        }
        for (std::uint64_t i = 0; i < steps; i += at.size()) {
            for (std::uint64_t& place : at) {
                place = next[place];
            }
        }
        return steps;
    }

    /// What all that was read comes to, so that none of it is left out.
    [[nodiscard]] std::uint64_t result() const {
        std::uint64_t result = sum_;
        for (const auto& places : at_) {
            result = std::accumulate(places.begin(), places.end(), result);
        }
        return result;
    }

  private:
    static constexpr std::uint64_t steps = 1 << 13;

    /// A permutation of one cycle (Sattolo 1986), so that a walk comes by every place. The eight begin at
    /// places of their own, far from each other on it.
    void one_cycle(std::vector<std::uint64_t>& next) {
        std::iota(next.begin(), next.end(), std::uint64_t{0});
        const Random random(2);
        for (std::size_t i = next.size() - 1; i > 0; --i) {
            std::swap(next[i], next[random.below(i, i)]);
        }
        auto& at = at_[static_cast<std::size_t>(&next - tables_.data())];
        for (std::size_t i = 0; i < at.size(); ++i) {
            at[i] = i * (next.size() / at.size());
        }
    }

    std::array<std::vector<std::uint64_t>, ReadRates::sizes> tables_;
    std::array<std::array<std::uint64_t, 8>, ReadRates::sizes> at_{};
    std::uint64_t sum_ = 0;
};

} // namespace goodsyard
