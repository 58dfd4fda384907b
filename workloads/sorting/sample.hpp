// Sample sort with regular sampling (Grama et al., Introduction to Parallel Computing, 2nd ed., 9.5): every
// rank gives p − 1 samples at even distances to the root, which sorts them and takes every p-th as splitter.
//
// With equal blocks no rank gets more than 2 n/p items. A rank's samples weigh as much as its block, so that
// uneven blocks do not spoil it, and the total order (key, rank, index) keeps that for equal keys.
#pragma once

#include "sorting/pivots.hpp"
#include "sorting/splitter_sort.hpp"

namespace goodsyard::sorting {

template <class Item>
class SampleSort final : public SplitterSort<Item> {
  public:
    using SplitterSort<Item>::SplitterSort;

  protected:
    std::vector<std::uint64_t> find_cuts(const std::vector<Item>& block) override {
        const int ranks = this->traffic_.size();
        std::vector<std::uint64_t> cuts = {0};
        if (ranks > 1) {
            this->rounds_ = 1;
            std::vector<Sample> samples = this->traffic_.gather(this->splitters(), draw(block));
            std::vector<Position> splitters(static_cast<std::size_t>(ranks) - 1);
            if (this->traffic_.rank() == 0) {
                this->compute(this->splitters(), Work::comparison, this->comparisons_of_sort(samples.size()));
                splitters = choose_splitters(samples, ranks);
            }
            this->traffic_.broadcast(this->splitters(), std::span(splitters), 0);
            for (const Position& position : splitters) {
                cuts.push_back(block.empty() ? 0 : count_up_to(block, own_rank(), position));
            }
            this->search(splitters.size(), block.size());
        }
        cuts.push_back(block.size());
        return cuts;
    }

  private:
    [[nodiscard]] std::uint64_t own_rank() const { return static_cast<std::uint64_t>(this->traffic_.rank()); }

    [[nodiscard]] std::vector<Sample> draw(const std::vector<Item>& block) const {
        const auto ranks = static_cast<std::uint64_t>(this->traffic_.size());
        std::vector<Sample> samples(ranks - 1);
        for (std::uint64_t j = 0; j + 1 < ranks && !block.empty(); ++j) {
            const std::uint64_t index = (j + 1) * block.size() / ranks;
            samples[j] = {{key_of(block[index]), own_rank(), index}, block.size()};
        }
        return samples;
    }
};

} // namespace goodsyard::sorting
