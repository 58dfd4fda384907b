// A set of units that keeps the order in which they came, and counts how often it compared two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace goodsyard::mafia {

/// Open addressing, at most half full; a unit's place in `units()` is its number.
template <class Unit>
class UnitSet {
  public:
    UnitSet() : slots_(least_slots, empty) {}

    /// The number of `unit`, which is added if it is new.
    std::uint32_t insert(const Unit& unit) {
        if (2 * (units_.size() + 1) > slots_.size()) {
            grow();
        }
        std::uint32_t& slot = find_slot(unit);
        if (slot == empty) {
            slot = static_cast<std::uint32_t>(units_.size());
            units_.push_back(unit);
        }
        return slot;
    }
    [[nodiscard]] std::optional<std::uint32_t> find(const Unit& unit) {
        const std::uint32_t slot = find_slot(unit);
        return slot == empty ? std::nullopt : std::optional(slot);
    }
    [[nodiscard]] const std::vector<Unit>& units() const { return units_; }
    [[nodiscard]] std::vector<Unit> take() && { return std::move(units_); }
    /// Pairs of units compared so far by insert and find.
    [[nodiscard]] std::uint64_t comparisons() const { return comparisons_; }

  private:
    static constexpr std::size_t least_slots = 64;
    static constexpr std::uint32_t empty = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t& find_slot(const Unit& unit) {
        std::size_t at = unit.hash() & (slots_.size() - 1);
        while (slots_[at] != empty) {
            ++comparisons_;
            if (units_[slots_[at]] == unit) {
                break;
            }
            at = (at + 1) & (slots_.size() - 1);
        }
        return slots_[at];
    }
    void grow() {
        slots_.assign(2 * slots_.size(), empty);
        for (std::uint32_t i = 0; i < units_.size(); ++i) {
            std::size_t at = units_[i].hash() & (slots_.size() - 1);
            while (slots_[at] != empty) {
                at = (at + 1) & (slots_.size() - 1);
            }
            slots_[at] = i;
        }
    }

    std::vector<Unit> units_;
    std::vector<std::uint32_t> slots_;
    std::uint64_t comparisons_ = 0;
};

} // namespace goodsyard::mafia
