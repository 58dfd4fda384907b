// The scheme of sample, histogram and exact-splitting sort: sort locally, find where to cut, exchange, merge.
// One rank alone is done when it has sorted locally.
//
// Of the memory of a large block, each page costs a fault when it is first written: what is received goes
// where the last sort received, and is merged into the block itself.
#pragma once

#include "sorting/local_sort.hpp"
#include "sorting/merging.hpp"
#include "sorting/scratch.hpp"
#include "sorting/sort.hpp"

namespace goodsyard::sorting {

template <class Item>
class SplitterSort : public Sort<Item> {
  public:
    SplitterSort(MPI_Comm comm, Phases& phases, const Computation& computation, const Parameters& parameters)
        : Sort<Item>(comm, phases, computation, parameters), local_(phases.add("local_sort")),
          splitters_(phases.add("splitters")), exchange_(phases.add("exchange")),
          merge_(phases.add("merge")) {}

    void run(std::vector<Item>& block) final {
        this->rounds_ = 0;
        {
            const auto timed = this->phases_.time(local_);
            sort_locally(block, this->parameters_.local);
            this->compute(local_, Work::comparison, this->comparisons_of_sort(block.size()));
        }
        if (this->traffic_.size() == 1) {
            return;
        }
        std::vector<std::uint64_t> cuts;
        {
            const auto timed = this->phases_.time(splitters_);
            cuts = find_cuts(block);
        }
        std::vector<std::uint64_t> runs;
        {
            const auto timed = this->phases_.time(exchange_);
            runs = this->traffic_.announce(exchange_, cuts);
            this->traffic_.alltoallv(exchange_, block.data(), cuts, received_.room(runs.back()), runs);
            this->compute(exchange_, Work::move, static_cast<double>(runs.back()));
        }
        const auto timed = this->phases_.time(merge_);
        merge_runs(received_.room(runs.back()), runs, block);
        this->compute(merge_, Work::comparison,
                      static_cast<double>(block.size()) *
                          std::log2(static_cast<double>(this->traffic_.size())));
    }

  protected:
    /// Where the sorted block is cut: 0, a place for each splitter, and its size. Collective.
    virtual std::vector<std::uint64_t> find_cuts(const std::vector<Item>& block) = 0;

    /// Binary searches of a block, counted as comparisons.
    void search(std::size_t searches, std::size_t size) const {
        this->compute(splitters_, Work::comparison,
                      static_cast<double>(searches) * std::log2(static_cast<double>(size) + 1));
    }
    [[nodiscard]] std::size_t splitters() const { return splitters_; }

  private:
    Scratch<Item> received_;
    std::size_t local_;
    std::size_t splitters_;
    std::size_t exchange_;
    std::size_t merge_;
};

} // namespace goodsyard::sorting
