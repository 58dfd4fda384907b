// Merging sorted runs that lie behind one another, stably: of equal keys, those of earlier runs come first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sorting/item.hpp"

namespace goodsyard::sorting {

/// Take the smaller of two first items; of equal ones the left. Both are read before one is chosen, and
/// pointers advance by a truth value, so that compilers need no jump for it.
template <class Item>
void take_first(const Item*& left, const Item*& right, Item*& to) {
    const Item a = *left;
    const Item b = *right;
    const bool is_right = key_of(b) < key_of(a);
    *to++ = is_right ? b : a;
    left += static_cast<int>(!is_right);
    right += static_cast<int>(is_right);
}

/// Take the larger of two last items, backwards; of equal ones the right.
template <class Item>
void take_last(const Item*& left_end, const Item*& right_end, Item*& to_end) {
    const Item a = left_end[-1];
    const Item b = right_end[-1];
    const bool is_left = key_of(b) < key_of(a);
    *--to_end = is_left ? a : b;
    left_end -= static_cast<int>(is_left);
    right_end -= static_cast<int>(!is_left);
}

/// Two runs, without a branch that depends on the keys: half of all guesses would be wrong. Each step waits
/// for the one before it, so that two merges, of the smallest items and of the largest, take hardly longer
/// than one.
template <class Item>
void merge_two(const Item* left, const Item* left_end, const Item* right, const Item* right_end, Item* to) {
    Item* to_end = to + (left_end - left) + (right_end - right);
    // In half as many steps as the shorter run is long, neither merge meets the end of a run or the other
    // merge.
    for (auto steps = std::min(left_end - left, right_end - right) / 2; steps > 0;
         steps = std::min(left_end - left, right_end - right) / 2) {
        for (; steps > 0; --steps) {
            take_first(left, right, to);
            take_last(left_end, right_end, to_end);
        }
    }
    while (left != left_end && right != right_end) {
        take_first(left, right, to);
    }
    std::copy(right, right_end, std::copy(left, left_end, to));
}

/// A tournament of runs (Knuth, The Art of Computer Programming, vol. 3, 5.4.1): inner nodes remember the
/// loser, so that a winner's successor plays against the losers on its path only.
template <class Item>
class LoserTree {
  public:
    explicit LoserTree(std::vector<std::pair<const Item*, const Item*>> runs) : runs_(std::move(runs)) {
        while (leaves_ < runs_.size()) {
            leaves_ *= 2;
        }
        runs_.resize(leaves_, {nullptr, nullptr});
        losers_.resize(leaves_);
        winner_ = play(1);
    }
    /// The smallest item, which is taken; there must be one.
    Item pop() {
        const Item drained = *runs_[winner_].first++;
        for (std::size_t node = (leaves_ + winner_) / 2; node > 0; node /= 2) {
            if (beats(losers_[node], winner_)) {
                std::swap(losers_[node], winner_);
            }
        }
        return drained;
    }

  private:
    [[nodiscard]] bool beats(std::size_t a, std::size_t b) const {
        const auto& [one, one_end] = runs_[a];
        const auto& [two, two_end] = runs_[b];
        if (one == one_end || two == two_end) {
            return two == two_end && (one != one_end || a < b);
        }
        return key_of(*one) < key_of(*two) || (key_of(*one) == key_of(*two) && a < b);
    }
    std::size_t play(std::size_t node) {
        if (node >= leaves_) {
            return node - leaves_;
        }
        const std::size_t left = play(2 * node);
        const std::size_t right = play(2 * node + 1);
        const bool right_wins = beats(right, left);
        losers_[node] = right_wins ? left : right;
        return right_wins ? right : left;
    }

    std::vector<std::pair<const Item*, const Item*>> runs_;
    std::vector<std::size_t> losers_;
    std::size_t leaves_ = 1;
    std::size_t winner_ = 0;
};

/// Items in runs from begin[r] to begin[r + 1], as one run in `merged`, whatever that held.
template <class Item>
void merge_runs(const Item* items, const std::vector<std::uint64_t>& begin, std::vector<Item>& merged) {
    std::vector<std::pair<const Item*, const Item*>> runs;
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
        if (begin[r] < begin[r + 1]) {
            runs.emplace_back(items + begin[r], items + begin[r + 1]);
        }
    }
    if (merged.capacity() < begin.back()) {
        merged.clear(); // Nothing has to be copied to a larger place.
    }
    merged.resize(begin.back());
    if (runs.size() == 1) {
        std::copy(runs[0].first, runs[0].second, merged.begin());
    } else if (runs.size() == 2) {
        merge_two(runs[0].first, runs[0].second, runs[1].first, runs[1].second, merged.data());
    } else if (!runs.empty()) {
        LoserTree<Item> tree(std::move(runs));
        for (Item& item : merged) {
            item = tree.pop();
        }
    }
}

} // namespace goodsyard::sorting
