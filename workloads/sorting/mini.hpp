// Mini sort: one item a rank. Quicksort over ranks: a pivot near the median, three classes, everyone sends
// its item to its new place, and the two outer classes go on by themselves. Stable.
//
// Siebert, Wolf: Parallel sorting with minimal data, EuroMPI 2011, DOI 10.1007/978-3-642-24449-0_20. That
// takes O(log² p), unless the groups are made by MPI_Comm_split, whose own cost grows with p.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "mpi/handles.hpp"
#include "sorting/rank_range.hpp"
#include "sorting/sort.hpp"

namespace goodsyard::sorting {

/// How many ranks have items below, at and above the pivot.
struct Classes {
    std::array<std::uint64_t, 3> counts = {};
};

template <class Item>
class MiniSort final : public Sort<Item> {
  public:
    MiniSort(MPI_Comm comm, Phases& phases, const Computation& computation, const Parameters& parameters)
        : Sort<Item>(comm, phases, computation, parameters), pivot_(phases.add("pivot")),
          place_(phases.add("place")), exchange_(phases.add("exchange")), groups_(phases.add("groups")) {}

    /// Raises std::invalid_argument, on this rank, unless it has exactly one item.
    void run(std::vector<Item>& block) override {
        if (block.size() != 1) {
            throw std::invalid_argument("mini sort takes exactly one item a rank, not " +
                                        std::to_string(block.size()));
        }
        this->rounds_ = 0;
        RandomBits bits(this->parameters_.seed, this->traffic_.rank());
        if (this->parameters_.groups == Groups::ranges) {
            sort_ranges(block.front(), bits);
        } else {
            sort_communicators(block.front(), bits);
        }
    }

  private:
    static constexpr int item_tag = 2; ///< and above: the level

    static std::size_t class_of(const Item& item, Key pivot) {
        return key_of(item) < pivot ? 0 : key_of(item) == pivot ? 1 : 2;
    }
    /// Send `item` to rank `to` and take the one that comes here, from anywhere.
    void swap_places(MPI_Comm comm, Item& item, int to, int level) {
        const Item local = item;
        check(MPI_Sendrecv(&local, words_of<Item>, MPI_UINT64_T, to, item_tag + level, &item, words_of<Item>,
                           MPI_UINT64_T, MPI_ANY_SOURCE, item_tag + level, comm, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
        this->traffic_.counted(exchange_, 1, words_of<Item>);
    }
    /// The ranks of a range up to this one, whose item is in class `here`.
    static Classes count_up_to(const RankRange& range, std::size_t self) {
        std::vector<std::uint64_t> local(3);
        local[self] = 1;
        const std::vector<std::uint64_t> before = range.sum_before(local);
        Classes up_to;
        std::transform(before.begin(), before.end(), local.begin(), up_to.counts.begin(), std::plus<>());
        return up_to;
    }
    /// The group's ranks below, at and above the pivot, and the new place of this rank's item among them.
    static int new_place(std::size_t own_part, const Classes& up_to, const Classes& all) {
        std::uint64_t place = up_to.counts[own_part] - 1;
        for (std::size_t i = 0; i < own_part; ++i) {
            place += all.counts[i];
        }
        return static_cast<int>(place);
    }

    void sort_ranges(Item& item, RandomBits& bits) {
        int first = 0;
        int last = this->traffic_.size() - 1;
        for (int level = 0; first < last; ++level) {
            ++this->rounds_;
            Position pivot;
            {
                const auto timed = this->phases_.time(pivot_);
                const RankRange range(this->traffic_, pivot_, first, last);
                Middle middle;
                middle.add({key_of(item), static_cast<std::uint64_t>(this->traffic_.rank()), 0});
                middle = range.reduce(middle, bits);
                if (this->traffic_.rank() == first) {
                    pivot = chosen(middle, bits);
                }
                range.broadcast(pivot, 0);
            }
            Classes all;
            Classes up_to;
            const std::size_t self = class_of(item, pivot.key);
            {
                const auto timed = this->phases_.time(place_);
                const RankRange range(this->traffic_, place_, first, last);
                up_to = count_up_to(range, self);
                all = up_to;
                range.broadcast(all, range.size() - 1);
            }
            {
                const auto timed = this->phases_.time(exchange_);
                swap_places(this->traffic_.comm(), item, first + new_place(self, up_to, all), level);
            }
            // Which class this rank's place, and so its new item, belongs to.
            const int below = first + static_cast<int>(all.counts[0]);
            const int above = below + static_cast<int>(all.counts[1]);
            const int rank = this->traffic_.rank();
            if (rank < below) {
                last = below - 1;
            } else if (rank >= above) {
                first = above;
            } else {
                return;
            }
        }
    }

    void sort_communicators(Item& item, RandomBits& bits) {
        MPI_Comm group = this->traffic_.comm();
        OwnedComm owner;
        for (int level = 0;; ++level) {
            const Traffic traffic(group, this->phases_);
            if (traffic.size() == 1) {
                return;
            }
            ++this->rounds_;
            Position pivot;
            {
                const auto timed = this->phases_.time(pivot_);
                Middle middle;
                middle.add({key_of(item), static_cast<std::uint64_t>(traffic.rank()), 0});
                middle = RankRange(traffic, pivot_, 0, traffic.size() - 1).reduce(middle, bits);
                if (traffic.rank() == 0) {
                    pivot = chosen(middle, bits);
                }
                traffic.broadcast(pivot_, std::span(&pivot, 1), 0);
            }
            Classes all;
            Classes up_to;
            const std::size_t self = class_of(item, pivot.key);
            {
                const auto timed = this->phases_.time(place_);
                up_to = count_up_to(RankRange(traffic, place_, 0, traffic.size() - 1), self);
                all.counts[self] = 1;
                traffic.sum(place_, all.counts);
            }
            {
                const auto timed = this->phases_.time(exchange_);
                swap_places(group, item, new_place(self, up_to, all), level);
            }
            const auto timed = this->phases_.time(groups_);
            const auto below = static_cast<int>(all.counts[0]);
            const auto above = below + static_cast<int>(all.counts[1]);
            const int place = traffic.rank();
            const int part = place < below ? 0 : place < above ? MPI_UNDEFINED : 1;
            OwnedComm smaller;
            check(MPI_Comm_split(group, part, place, smaller.out()), "MPI_Comm_split");
            this->traffic_.counted(groups_, 1, 2);
            if (!smaller) {
                return;
            }
            owner = std::move(smaller);
            group = owner.get();
        }
    }

    std::size_t pivot_;
    std::size_t place_;
    std::size_t exchange_;
    std::size_t groups_;
};

} // namespace goodsyard::sorting
