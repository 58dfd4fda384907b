// Exact-splitting sort: block i gets exactly the items from ⌊i n/p⌋ to ⌊(i + 1) n/p⌋ of the sorted sequence.
//
// Siebert, Wolf: A scalable parallel sorting algorithm using exact splitting, RWTH-CONV-008835, 2011. For
// each splitter every rank has a window of its block in which it can still lie. A pivot near the median of
// all windows is taken, its place among all items counted, and the windows are cut there. Invariant: what is
// left of a window belongs to the left of the splitter, what is right of it to the right.
#pragma once

#include <algorithm>

#include "sorting/blocks.hpp"
#include "sorting/pivots.hpp"
#include "sorting/rank_range.hpp"
#include "sorting/splitter_sort.hpp"

namespace goodsyard::sorting {

/// One splitter after the other, as published: p log n collective operations.
template <class Item>
class SequentialExactSort final : public SplitterSort<Item> {
  public:
    using SplitterSort<Item>::SplitterSort;

  protected:
    std::vector<std::uint64_t> find_cuts(const std::vector<Item>& block) override;

  private:
    std::uint64_t find_cut(const std::vector<Item>& block, std::uint64_t target, std::uint64_t total,
                           RandomBits& bits);
};

/// All splitters together: rank r finds the pivots of splitter r, so that a round is one step of every search
/// and there are O(log n) of them.
template <class Item>
class BatchedExactSort final : public SplitterSort<Item> {
  public:
    using SplitterSort<Item>::SplitterSort;

  protected:
    std::vector<std::uint64_t> find_cuts(const std::vector<Item>& block) override;
};

template <class Item>
std::uint64_t SequentialExactSort<Item>::find_cut(const std::vector<Item>& block, std::uint64_t target,
                                                  std::uint64_t total, RandomBits& bits) {
    const auto rank = static_cast<std::uint64_t>(this->traffic_.rank());
    SearchWindow window{target, 0, block.size()};
    if (target == 0 || target == total) {
        return target == 0 ? 0 : block.size();
    }
    const RankRange everybody(this->traffic_, this->splitters(), 0, this->traffic_.size() - 1);
    while (!window.found) {
        ++this->rounds_;
        Middle middle;
        if (window.low < window.high) {
            const std::uint64_t at = window.low + (window.high - window.low - 1) / 2;
            middle.add({key_of(block[at]), rank, at});
            if (at + 1 < window.high && (window.high - window.low) % 2 == 0) {
                middle.add({key_of(block[at + 1]), rank, at + 1});
            }
        }
        middle = everybody.reduce(middle, bits);
        Position pivot;
        if (this->traffic_.rank() == 0) {
            pivot = chosen(middle, bits);
        }
        this->traffic_.broadcast(this->splitters(), std::span(&pivot, 1), 0);
        const std::uint64_t local = std::clamp(count_before(block, rank, pivot), window.low, window.high);
        this->search(1, block.size());
        std::uint64_t all = local;
        this->traffic_.sum(this->splitters(), std::span(&all, 1));
        window.narrow(local, all, pivot.rank == rank);
    }
    return window.low;
}

template <class Item>
std::vector<std::uint64_t> SequentialExactSort<Item>::find_cuts(const std::vector<Item>& block) {
    const auto ranks = static_cast<std::uint64_t>(this->traffic_.size());
    std::uint64_t total = block.size();
    this->traffic_.sum(this->splitters(), std::span(&total, 1));
    RandomBits bits(this->parameters_.seed, this->traffic_.rank());
    std::vector<std::uint64_t> cuts = {0};
    for (std::uint64_t i = 1; i < ranks; ++i) {
        cuts.push_back(find_cut(block, first_of_block(i, total, ranks), total, bits));
    }
    cuts.push_back(block.size());
    return cuts;
}

template <class Item>
std::vector<std::uint64_t> BatchedExactSort<Item>::find_cuts(const std::vector<Item>& block) {
    const auto ranks = static_cast<std::uint64_t>(this->traffic_.size());
    const auto rank = static_cast<std::uint64_t>(this->traffic_.rank());
    std::uint64_t total = block.size();
    this->traffic_.sum(this->splitters(), std::span(&total, 1));
    std::vector<SearchWindow> windows; // Number r is sought by rank r; number 0 is the beginning.
    for (std::uint64_t i = 0; i < ranks; ++i) {
        const std::uint64_t target = first_of_block(i, total, ranks);
        windows.push_back({target, target == total ? block.size() : 0, target == 0 ? 0 : block.size(),
                           target == 0 || target == total});
    }
    const auto is_open = [](const SearchWindow& search_window) { return !search_window.found; };
    while (std::any_of(windows.begin(), windows.end(), is_open)) {
        ++this->rounds_;
        std::vector<WeightedPivot> middles(ranks);
        for (std::size_t i = 0; i < ranks; ++i) {
            const SearchWindow& window = windows[i];
            if (!window.found && window.low < window.high) {
                const std::uint64_t at = window.low + (window.high - window.low) / 2;
                middles[i] = {{key_of(block[at]), rank, at}, window.high - window.low};
            }
        }
        std::vector<WeightedPivot> candidates = this->traffic_.alltoall(this->splitters(), middles);
        this->compute(this->splitters(), Work::comparison, this->comparisons_of_sort(candidates.size()));
        const std::vector<Position> pivots =
            this->traffic_.allgather(this->splitters(), std::vector<Position>{weighted_median(candidates)});
        std::vector<std::uint64_t> local(ranks);
        for (std::size_t i = 0; i < ranks; ++i) {
            local[i] = windows[i].found ? 0
                                        : std::clamp(count_before(block, rank, pivots[i]), windows[i].low,
                                                     windows[i].high);
        }
        this->search(static_cast<std::size_t>(std::count_if(windows.begin(), windows.end(), is_open)),
                     block.size());
        std::vector<std::uint64_t> all = local;
        this->traffic_.sum(this->splitters(), all);
        for (std::size_t i = 0; i < ranks; ++i) {
            if (!windows[i].found) {
                windows[i].narrow(local[i], all[i], pivots[i].rank == rank);
            }
        }
    }
    std::vector<std::uint64_t> cuts;
    for (const SearchWindow& search_window : windows) {
        cuts.push_back(search_window.low);
    }
    cuts.push_back(block.size());
    return cuts;
}

} // namespace goodsyard::sorting
