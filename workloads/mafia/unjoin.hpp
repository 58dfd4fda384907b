// Phase unjoin: a dense unit of which no larger one is made is terminal, a part of a cluster.
#pragma once

#include <algorithm>
#include <vector>

#include "mafia/counts.hpp"
#include "mafia/unit_set.hpp"
#include "mafia/variants.hpp"

namespace goodsyard::mafia {

template <class Unit>
std::vector<Unit> unjoin_by_index(const std::vector<Unit>& smaller, const std::vector<Unit>& larger,
                                  Counts& counts) {
    UnitSet<Unit> covered;
    for (const Unit& unit : larger) {
        unit.each([&](int window) {
            covered.insert(unit.without(window));
            ++counts.subsequences;
        });
    }
    std::vector<Unit> terminal;
    std::copy_if(smaller.begin(), smaller.end(), std::back_inserter(terminal),
                 [&](const Unit& unit) { return !covered.find(unit); });
    return terminal;
}

/// Naive: each smaller unit with every larger one.
template <class Unit>
std::vector<Unit> unjoin_by_pairs(const std::vector<Unit>& smaller, const std::vector<Unit>& larger,
                                  Counts& counts) {
    std::vector<Unit> terminal;
    std::copy_if(smaller.begin(), smaller.end(), std::back_inserter(terminal), [&](const Unit& unit) {
        return std::none_of(larger.begin(), larger.end(), [&](const Unit& second) {
            ++counts.inclusions;
            return second.contains(unit);
        });
    });
    return terminal;
}

/// The units of `smaller` that are in none of `larger`, which have one window more.
template <class Unit>
std::vector<Unit> unjoin(const std::vector<Unit>& smaller, const std::vector<Unit>& larger, Join join,
                         Counts& counts) {
    if (smaller.empty()) { // The first level: nothing is smaller than a window.
        return {};
    }
    return join == Join::index ? unjoin_by_index(smaller, larger, counts)
                               : unjoin_by_pairs(smaller, larger, counts);
}

} // namespace goodsyard::mafia
