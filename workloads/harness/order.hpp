// Whether values are in order across ranks: within each, and from the last of one to the first of the next
// that has any.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/team.hpp"

namespace goodsyard {

/// What is out of order, told to the rank that finds it: its own values, or on rank 0 what two ranks have.
/// Collective.
template <class T, class Less = std::less<T>>
std::optional<std::string> disorder(const Team& team, std::span<const T> local, Less less = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    struct Ends {
        T first;
        T last;
        bool any;
    };
    std::optional<std::string> result;
    for (std::size_t i = 1; i < local.size() && !result; ++i) {
        if (less(local[i], local[i - 1])) {
            result = "value " + std::to_string(i) + " belongs before the one before it";
        }
    }
    const Ends ends = local.empty() ? Ends{T{}, T{}, false} : Ends{local.front(), local.back(), true};
    const std::vector<Ends> all = team.gathered(std::vector<Ends>{ends});
    std::optional<std::size_t> before;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (!all[rank].any) {
            continue;
        }
        if (before && less(all[rank].first, all[*before].last) && !result) {
            result = "the first value of rank " + std::to_string(rank) + " belongs before the last of rank " +
                     std::to_string(*before);
        }
        before = rank;
    }
    return result;
}

} // namespace goodsyard
