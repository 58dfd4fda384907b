// Histogram sort: random keys are probed, their ranks counted, until every splitter is near enough to its
// target.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/random.hpp"
#include "sorting/blocks.hpp"
#include "sorting/histogram_search.hpp"
#include "sorting/splitter_sort.hpp"

namespace goodsyard::sorting {

template <class Item>
class HistogramSort final : public SplitterSort<Item> {
  public:
    using SplitterSort<Item>::SplitterSort;

  protected:
    std::vector<std::uint64_t> find_cuts(const std::vector<Item>& block) override {
        draws_ = 0;
        std::uint64_t total = block.size();
        this->traffic_.sum(this->splitters(), std::span(&total, 1));
        const auto ranks = static_cast<std::uint64_t>(this->traffic_.size());
        const auto tolerance = static_cast<std::uint64_t>(
            this->parameters_.epsilon * static_cast<double>(total) / (2 * static_cast<double>(ranks)));
        std::vector<Bracket> brackets(ranks - 1);
        for (std::uint64_t i = 1; i < ranks; ++i) {
            brackets[i - 1].target = first_of_block(i, total, ranks);
            brackets[i - 1].accepted = total == 0;
        }
        while (std::any_of(brackets.begin(), brackets.end(),
                           [](const Bracket& bracket) { return !bracket.accepted; })) {
            ++this->rounds_;
            const std::vector<Probe> probes = count(draw(block, brackets, total), block);
            for (Bracket& bracket : brackets) {
                if (!bracket.accepted) {
                    narrow(bracket, probes, tolerance);
                }
            }
        }
        return cut(block, brackets);
    }

  private:
    double uniform() {
        return Random(this->parameters_.seed, static_cast<std::uint64_t>(this->traffic_.rank()) + 1)
            .unit(draws_++);
    }
    /// So many random keys of block[first, last) that all ranks together draw about `wanted` of `total`.
    void draw_from(const std::vector<Item>& block, std::size_t first, std::size_t last, double target,
                   std::uint64_t total, std::vector<Key>& into) {
        const auto size = static_cast<double>(last - first);
        const double share =
            std::min(size, target * size / static_cast<double>(std::max<std::uint64_t>(total, 1)));
        const auto count = static_cast<std::size_t>(share + uniform());
        for (std::size_t i = 0; i < count; ++i) {
            const auto offset = static_cast<std::size_t>(uniform() * size);
            into.push_back(key_of(block[std::min(first + offset, last - 1)]));
        }
    }
    /// This rank's probes: of its whole block at first, and then of what lies in brackets.
    std::vector<Key> draw(const std::vector<Item>& block, const std::vector<Bracket>& brackets,
                          std::uint64_t total) {
        const double each_round = this->parameters_.probes_per_splitter;
        std::vector<Key> probes;
        if (this->rounds_ == 1) {
            if (!block.empty()) {
                draw_from(block, 0, block.size(), each_round * this->traffic_.size(), total, probes);
            }
            return probes;
        }
        for (const Bracket& bracket : brackets) {
            if (bracket.accepted) {
                continue;
            }
            const std::size_t first = bracket.has_low ? count_not_above(block, bracket.low.key) : 0;
            const std::size_t last = bracket.has_high ? count_below(block, bracket.high.key) : block.size();
            if (first < last) {
                draw_from(block, first, last, each_round, bracket.inside(total), probes);
            }
        }
        return probes;
    }
    /// All ranks' probes, each once and ascending, with their places among all keys.
    std::vector<Probe> count(const std::vector<Key>& local, const std::vector<Item>& block) {
        std::vector<Key> keys = this->traffic_.allgather_any(this->splitters(), local);
        this->compute(this->splitters(), Work::comparison, this->comparisons_of_sort(keys.size()));
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        std::vector<std::uint64_t> counts;
        for (const Key key : keys) {
            counts.push_back(count_below(block, key));
            counts.push_back(count_not_above(block, key));
        }
        this->search(counts.size(), block.size());
        this->traffic_.sum(this->splitters(), counts);
        std::vector<Probe> probes;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            probes.push_back({keys[i], counts[2 * i], counts[2 * i + 1]});
        }
        return probes;
    }
    /// Where this block is cut: of the keys that equal a splitter, earlier ranks' go to the left first.
    std::vector<std::uint64_t> cut(const std::vector<Item>& block, const std::vector<Bracket>& brackets) {
        std::vector<std::uint64_t> equal;
        for (const Bracket& bracket : brackets) {
            equal.push_back(count_not_above(block, bracket.at.key) - count_below(block, bracket.at.key));
        }
        const std::vector<std::uint64_t> before = this->sum_before(this->splitters(), equal);
        std::vector<std::uint64_t> cuts = {0};
        for (std::size_t i = 0; i < brackets.size(); ++i) {
            const std::uint64_t remaining = brackets[i].cut - brackets[i].at.below; // of all that are equal
            const std::uint64_t local = std::clamp(remaining, before[i], before[i] + equal[i]) - before[i];
            cuts.push_back(count_below(block, brackets[i].at.key) + local);
        }
        cuts.push_back(block.size());
        return cuts;
    }
    static std::uint64_t count_below(const std::vector<Item>& block, Key key) {
        const auto at = std::lower_bound(block.begin(), block.end(), key,
                                         [](const Item& item, Key bound) { return key_of(item) < bound; });
        return static_cast<std::uint64_t>(at - block.begin());
    }
    static std::uint64_t count_not_above(const std::vector<Item>& block, Key key) {
        const auto at = std::upper_bound(block.begin(), block.end(), key,
                                         [](Key bound, const Item& item) { return bound < key_of(item); });
        return static_cast<std::uint64_t>(at - block.begin());
    }

    std::uint64_t draws_ = 0;
};

} // namespace goodsyard::sorting
