// Phase dedup: each candidate once, in the order in which they came.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "mafia/counts.hpp"
#include "mafia/unit_set.hpp"
#include "mafia/variants.hpp"

namespace goodsyard::mafia {

template <class Unit>
std::vector<Unit> dedup_by_hash(const std::vector<Unit>& merged, Counts& counts) {
    UnitSet<Unit> seen;
    for (const Unit& unit : merged) {
        seen.insert(unit);
    }
    counts.comparisons += seen.comparisons();
    return std::move(seen).take();
}

/// By an ordered set, as the code behind the paper: log₂ of its size comparisons each.
template <class Unit>
std::vector<Unit> dedup_by_tree(const std::vector<Unit>& merged, Counts& counts) {
    const auto less = [&counts](const Unit& a, const Unit& b) {
        ++counts.comparisons;
        return a < b;
    };
    std::set<Unit, decltype(less)> seen(less);
    std::vector<Unit> unique;
    for (const Unit& unit : merged) {
        if (seen.insert(unit).second) {
            unique.push_back(unit);
        }
    }
    return unique;
}

/// Naive: each with all that are different so far.
template <class Unit>
std::vector<Unit> dedup_by_pairs(const std::vector<Unit>& merged, Counts& counts) {
    std::vector<Unit> unique;
    for (const Unit& unit : merged) {
        const auto is_same = std::find(unique.begin(), unique.end(), unit);
        counts.comparisons +=
            static_cast<std::uint64_t>(is_same - unique.begin()) + (is_same != unique.end() ? 1 : 0);
        if (is_same == unique.end()) {
            unique.push_back(unit);
        }
    }
    return unique;
}

template <class Unit>
std::vector<Unit> dedup(const std::vector<Unit>& merged, Dedup how, Counts& counts) {
    switch (how) {
    case Dedup::tree:
        return dedup_by_tree(merged, counts);
    case Dedup::pairs:
        return dedup_by_pairs(merged, counts);
    case Dedup::hash:
        break;
    }
    return dedup_by_hash(merged, counts);
}

} // namespace goodsyard::mafia
