// Phase gen: every two units of a windows that share a − 1 of them, and differ in dimension, make a candidate
// of a + 1. A candidate is made once for each pair it can be made of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mafia/counts.hpp"
#include "mafia/unit_set.hpp"
#include "mafia/variants.hpp"
#include "mafia/windows.hpp"

namespace goodsyard::mafia {

/// A unit that has the common subsequence, and the window that it has beside it.
struct Extension {
    std::uint32_t unit;
    int window;
};

/// Units by the subsequences that they have, one group a subsequence.
struct SubsequenceIndex {
    std::vector<Extension> extensions;
    std::vector<std::size_t> begin; ///< of each group, and the end of the last
};

template <class Unit>
SubsequenceIndex index_subsequences(const std::vector<Unit>& units) {
    UnitSet<Unit> subsequences;
    std::vector<std::uint32_t> group;
    std::vector<Extension> extensions;
    for (std::uint32_t i = 0; i < units.size(); ++i) {
        units[i].each([&](int window) {
            group.push_back(subsequences.insert(units[i].without(window)));
            extensions.push_back({i, window});
        });
    }
    SubsequenceIndex index{std::vector<Extension>(extensions.size()),
                           std::vector<std::size_t>(subsequences.units().size() + 1)};
    for (const std::uint32_t value : group) {
        ++index.begin[value + 1];
    }
    for (std::size_t g = 1; g < index.begin.size(); ++g) {
        index.begin[g] += index.begin[g - 1];
    }
    std::vector<std::size_t> next(index.begin.begin(), index.begin.end() - 1);
    for (std::size_t e = 0; e < extensions.size(); ++e) {
        index.extensions[next[group[e]]++] = extensions[e];
    }
    return index;
}

/// The merges of some groups; adds the pairs looked at to `pairs`.
template <class Unit>
std::vector<Unit> merge_groups(const std::vector<Unit>& units, const std::vector<Window>& windows,
                               const SubsequenceIndex& index, std::size_t first, std::size_t last,
                               std::uint64_t& pairs) {
    std::vector<Unit> merged;
    for (std::size_t g = first; g < last; ++g) {
        const std::span group(index.extensions.data() + index.begin[g], index.begin[g + 1] - index.begin[g]);
        pairs += group.size() * (group.size() - 1) / 2;
        for (std::size_t i = 0; i < group.size(); ++i) {
            for (std::size_t j = i + 1; j < group.size(); ++j) {
                if (windows[static_cast<std::size_t>(group[i].window)].dimension !=
                    windows[static_cast<std::size_t>(group[j].window)].dimension) {
                    merged.push_back(units[group[i].unit].with(group[j].window));
                }
            }
        }
    }
    return merged;
}

/// By the index. Parts of the groups are merged in parallel and put in order, whatever the threads do.
template <class Unit>
std::vector<Unit> gen_by_index(const std::vector<Unit>& units, const std::vector<Window>& windows,
                               Counts& counts) {
    constexpr std::size_t groups_a_part = 1024;
    const SubsequenceIndex index = index_subsequences(units);
    const std::size_t groups = index.begin.size() - 1;
    std::vector<std::vector<Unit>> parts((groups + groups_a_part - 1) / groups_a_part);
    std::uint64_t pairs = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : pairs) if (parts.size() > 1)
    for (std::size_t part = 0; part < parts.size(); ++part) {
        parts[part] = merge_groups(units, windows, index, part * groups_a_part,
                                   std::min(groups, (part + 1) * groups_a_part), pairs);
    }
    counts.pairs += pairs;
    if (parts.size() == 1) {
        return std::move(parts.front());
    }
    std::vector<Unit> merged;
    for (const auto& part : parts) {
        merged.insert(merged.end(), part.begin(), part.end());
    }
    return merged;
}

/// Naive: all pairs of units, O(4^k) of them.
template <class Unit>
std::vector<Unit> gen_by_pairs(const std::vector<Unit>& units, const std::vector<Window>& windows,
                               Counts& counts) {
    std::vector<Unit> merged;
    for (std::size_t i = 0; i < units.size(); ++i) {
        for (std::size_t j = i + 1; j < units.size(); ++j) {
            ++counts.pairs;
            const Unit apart = units[i].difference(units[j]);
            if (apart.size() != 2) {
                continue;
            }
            const std::vector<int> two = apart.windows();
            if (windows[static_cast<std::size_t>(two[0])].dimension !=
                windows[static_cast<std::size_t>(two[1])].dimension) {
                merged.push_back(units[i].with(two[0]).with(two[1]));
            }
        }
    }
    return merged;
}

template <class Unit>
std::vector<Unit> gen(const std::vector<Unit>& units, const std::vector<Window>& windows, Join join,
                      Counts& counts) {
    auto merged =
        join == Join::index ? gen_by_index(units, windows, counts) : gen_by_pairs(units, windows, counts);
    counts.merges += merged.size();
    return merged;
}

} // namespace goodsyard::mafia
