// Merging sorted runs that lie behind one another, stably: of equal keys, those of earlier runs come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sorting/item.hpp"

namespace workloads::sorting {

/// Two runs, without a branch that depends on the keys.
template <class Item>
void merge_two(const Item* left, const Item* left_end, const Item* right, const Item* right_end, Item* to) {
    while (left != left_end && right != right_end) {
        const bool take_right = key_of(*right) < key_of(*left);
        *to++ = take_right ? *right : *left;
        left += take_right ? 0 : 1;
        right += take_right ? 1 : 0;
    }
    for (; left != left_end; left++) {
        *to++ = *left;
    }
    for (; right != right_end; right++) {
        *to++ = *right;
    }
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
        const Item taken = *runs_[winner_].first++;
        for (std::size_t node = (leaves_ + winner_) / 2; node > 0; node /= 2) {
            if (beats(losers_[node], winner_)) {
                std::swap(losers_[node], winner_);
            }
        }
        return taken;
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

/// Items in runs from begin[r] to begin[r + 1], as one run.
template <class Item>
std::vector<Item> merge_runs(std::vector<Item> items, const std::vector<std::uint64_t>& begin) {
    std::vector<std::pair<const Item*, const Item*>> runs;
    for (std::size_t r = 0; r + 1 < begin.size(); r++) {
        if (begin[r] < begin[r + 1]) {
            runs.emplace_back(items.data() + begin[r], items.data() + begin[r + 1]);
        }
    }
    if (runs.size() < 2) {
        return items;
    }
    std::vector<Item> merged(items.size());
    if (runs.size() == 2) {
        merge_two(runs[0].first, runs[0].second, runs[1].first, runs[1].second, merged.data());
        return merged;
    }
    LoserTree<Item> tree(std::move(runs));
    for (Item& each : merged) {
        each = tree.pop();
    }
    return merged;
}

} // namespace workloads::sorting
