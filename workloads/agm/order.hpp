// Orders of work items by an integer key: two items are of one class where their keys are equal, and classes
// are worked on in ascending order.
//
// Kanewala, Zalewski, Lumsdaine: Families of graph algorithms: SSSP case study, Euro-Par 2017,
// DOI 10.1007/978-3-319-64203-1_31 (the Abstract Graph Machine, and its extension by orders below a global
// one).
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace goodsyard::agm {

using Key = std::uint64_t;
inline constexpr Key no_key = ~Key{0};

enum class OrderKind : int {
    chaotic,  ///< All items are of one class.
    dijkstra, ///< A class for each value.
    delta,    ///< ⌊value / Δ⌋: Δ-stepping.
    kla,      ///< ⌊level / k⌋: k levels are worked on without order among them.
    level,    ///< A class for each level.
};

inline const std::vector<std::pair<std::string, OrderKind>> order_names = {{"chaotic", OrderKind::chaotic},
                                                                           {"dijkstra", OrderKind::dijkstra},
                                                                           {"delta", OrderKind::delta},
                                                                           {"kla", OrderKind::kla},
                                                                           {"level", OrderKind::level}};

class Order {
  public:
    /// `delta` is above 0, `k` at least 1; orders that have none do not look at them.
    explicit Order(OrderKind kind, double delta = 1, std::uint32_t k = 1)
        : kind_(kind), inverse_delta_(1 / delta), k_(k) {}

    [[nodiscard]] OrderKind kind() const { return kind_; }

    /// Of an item whose value (a distance, a label) is not negative, so many steps from a source.
    template <class Value>
    [[nodiscard, gnu::always_inline]] Key key(Value value, std::uint32_t level) const {
        if (kind_ == OrderKind::delta) [[likely]] {
            // Signed in between: that is one instruction.
            return static_cast<Key>(
                static_cast<std::int64_t>(std::min(static_cast<double>(value) * inverse_delta_, largest_)));
        }
        switch (kind_) {
        case OrderKind::chaotic:
        case OrderKind::delta:
            return 0;
        case OrderKind::dijkstra:
            return exact(value);
        case OrderKind::kla:
            return level / k_;
        case OrderKind::level:
            return level;
        }
        return 0;
    }

  private:
    /// The bits of numbers that are not negative are in the order of the numbers.
    static Key exact(float value) { return std::bit_cast<std::uint32_t>(value); }
    static Key exact(std::unsigned_integral auto value) { return value; }

    OrderKind kind_;
    double inverse_delta_;
    double largest_ = 0x1p62; ///< No constant, which would be a branch of its own.
    std::uint32_t k_;
};

} // namespace goodsyard::agm
