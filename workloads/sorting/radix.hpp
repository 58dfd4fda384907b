// Radix sort from the least significant digit: each pass puts all items in order of one digit, stably, and
// leaves exact blocks. Stable as a whole.
//
// Blelloch et al.: A comparison of sorting algorithms for the Connection Machine CM-2, SPAA 1991, DOI
// 10.1145/113379.113380. The j-th item with digit v of a rank belongs to slot base[v] + scan[v] + j: all
// items with smaller digits, those with this one on earlier ranks, and those before it here. Slots ascend in
// the order in which a rank sends.
#pragma once

#include <algorithm>
#include <numeric>

#include "sorting/blocks.hpp"
#include "sorting/sort.hpp"

namespace goodsyard::sorting {

template <class Item>
class RadixSort final : public Sort<Item> {
  public:
    RadixSort(MPI_Comm comm, Phases& phases, const Computation& computation, const Parameters& parameters)
        : Sort<Item>(comm, phases, computation, parameters), local_(phases.add("local_sort")),
          count_(phases.add("count")), exchange_(phases.add("exchange")), merge_(phases.add("merge")) {}

    void run(std::vector<Item>& block) override {
        const auto values = std::size_t{1} << this->parameters_.digit_bits;
        std::uint64_t total = block.size();
        this->traffic_.sum(count_, std::span(&total, 1));
        this->rounds_ = 0;
        for (int shift = 0; shift < 64; shift += this->parameters_.digit_bits) {
            ++this->rounds_;
            const auto digit = [shift, values](const Item& item) {
                return static_cast<std::size_t>(key_of(item) >> shift) & (values - 1);
            };
            {
                const auto timed = this->phases_.time(local_);
                counting_sort(block, digit, values, local_);
            }
            std::vector<std::uint64_t> slots; // of each digit's first item here
            {
                const auto timed = this->phases_.time(count_);
                slots = find_slots();
            }
            {
                const auto timed = this->phases_.time(exchange_);
                block = this->parameters_.exchange == Exchange::alltoallv
                            ? exchange_together(block, slots, total)
                            : exchange_by_digit(block, slots, total);
                this->compute(exchange_, Work::move, static_cast<double>(block.size()));
            }
            const auto timed = this->phases_.time(merge_);
            counting_sort(block, digit, values, merge_);
        }
    }

  private:
    static constexpr int chunk_tag = 2; ///< and above: the digit

    /// Sort by a digit, stably, and remember the counts of its values.
    template <class Digit>
    void counting_sort(std::vector<Item>& block, Digit digit, std::size_t values, std::size_t phase) {
        counts_.assign(values, 0);
        for (const Item& item : block) {
            ++counts_[digit(item)];
        }
        std::vector<std::uint64_t> next(values);
        std::exclusive_scan(counts_.begin(), counts_.end(), next.begin(), std::uint64_t{0});
        std::vector<Item> sorted(block.size());
        for (const Item& item : block) {
            sorted[next[digit(item)]++] = item;
        }
        block.swap(sorted);
        this->compute(phase, Work::move, 2 * static_cast<double>(block.size()) + static_cast<double>(values));
    }
    /// Remember what an exchange keeps, if none kept more: counts and slots of so many values of a digit, and
    /// so many other bytes.
    void note_kept(std::size_t values, std::size_t extra_bytes) {
        this->step_bytes_ = std::max(this->step_bytes_, sizeof(std::uint64_t) * 2 * values + extra_bytes);
    }
    std::vector<std::uint64_t> find_slots() {
        std::vector<std::uint64_t> slots = counts_;
        this->traffic_.sum(count_, slots); // first: see the end of exchange_by_digit
        const std::vector<std::uint64_t> before = this->sum_before(count_, counts_);
        std::exclusive_scan(slots.begin(), slots.end(), slots.begin(), std::uint64_t{0});
        for (std::size_t v = 0; v < slots.size(); ++v) {
            slots[v] += before[v];
        }
        this->compute(count_, Work::move, 2 * static_cast<double>(slots.size()));
        return slots;
    }
    /// Where block r ends.
    [[nodiscard]] std::uint64_t end_of(std::uint64_t r, std::uint64_t total) const {
        return first_of_block(r + 1, total, static_cast<std::uint64_t>(this->traffic_.size()));
    }
    /// Call `visit(r, v, begin, end)` for each run of items with digit v that belongs to rank r, ascending.
    template <class Visit>
    void each_run(const std::vector<std::uint64_t>& slots, std::uint64_t total, Visit visit) const {
        std::uint64_t begin = 0;
        std::uint64_t r = 0;
        for (std::size_t v = 0; v < slots.size(); ++v) {
            const std::uint64_t digit_end = begin + counts_[v];
            std::uint64_t slot = slots[v];
            while (begin < digit_end) {
                while (end_of(r, total) <= slot) {
                    ++r;
                }
                const std::uint64_t length = std::min(digit_end - begin, end_of(r, total) - slot);
                visit(static_cast<std::size_t>(r), v, begin, begin + length);
                begin += length;
                slot += length;
            }
        }
    }
    std::vector<Item> exchange_together(const std::vector<Item>& block,
                                        const std::vector<std::uint64_t>& slots, std::uint64_t total) {
        std::vector<std::uint64_t> cuts(static_cast<std::size_t>(this->traffic_.size()) + 1);
        each_run(slots, total,
                 [&](std::size_t r, std::size_t, std::uint64_t, std::uint64_t end) { cuts[r + 1] = end; });
        for (std::size_t r = 1; r < cuts.size(); ++r) {
            cuts[r] = std::max(cuts[r], cuts[r - 1]);
        }
        const std::vector<std::uint64_t> runs = this->traffic_.announce(exchange_, cuts);
        note_kept(slots.size(), sizeof(std::uint64_t) * (cuts.size() + runs.size()));
        std::vector<Item> got(runs.back());
        this->traffic_.alltoallv(exchange_, block.data(), cuts, got.data(), runs);
        return got;
    }
    /// A message for each run, as the paper's library. What arrives is put in order by digit, then by rank.
    std::vector<Item> exchange_by_digit(const std::vector<Item>& block,
                                        const std::vector<std::uint64_t>& slots, std::uint64_t total) {
        struct Chunk {
            std::size_t digit;
            int source;
            std::vector<Item> items;
        };
        const auto rank = static_cast<std::size_t>(this->traffic_.rank());
        std::vector<Chunk> chunks;
        std::vector<MPI_Request> requests;
        std::uint64_t missing = end_of(rank, total) - (rank == 0 ? 0 : end_of(rank - 1, total));
        each_run(slots, total, [&](std::size_t r, std::size_t v, std::uint64_t begin, std::uint64_t end) {
            if (r == rank) {
                chunks.push_back({v,
                                  this->traffic_.rank(),
                                  {block.begin() + static_cast<std::ptrdiff_t>(begin),
                                   block.begin() + static_cast<std::ptrdiff_t>(end)}});
                missing -= end - begin;
                return;
            }
            requests.push_back(MPI_REQUEST_NULL);
            check(MPI_Isend(block.data() + begin, Traffic::words<Item>(end - begin), MPI_UINT64_T,
                            static_cast<int>(r), chunk_tag + static_cast<int>(v), this->traffic_.comm(),
                            &requests.back()),
                  "MPI_Isend");
            this->traffic_.counted(exchange_, 1, (end - begin) * words_of<Item>);
        });
        std::vector<Item> received(missing);
        while (missing > 0) {
            MPI_Status status;
            check(MPI_Recv(received.data(), Traffic::words<Item>(missing), MPI_UINT64_T, MPI_ANY_SOURCE,
                           MPI_ANY_TAG, this->traffic_.comm(), &status),
                  "MPI_Recv");
            int words = 0;
            check(MPI_Get_count(&status, MPI_UINT64_T, &words), "MPI_Get_count");
            const auto end = received.begin() + words / words_of<Item>;
            chunks.push_back({static_cast<std::size_t>(status.MPI_TAG - chunk_tag),
                              status.MPI_SOURCE,
                              {received.begin(), end}});
            missing -= chunks.back().items.size();
        }
        check(MPI_Waitall(Traffic::count(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
        // The next pass first sums over all ranks: none of its messages can come before every rank is here.
        std::sort(chunks.begin(), chunks.end(), [](const Chunk& a, const Chunk& b) {
            return a.digit != b.digit ? a.digit < b.digit : a.source < b.source;
        });
        note_kept(slots.size(), sizeof(Chunk) * chunks.size() + sizeof(MPI_Request) * requests.size());
        std::vector<Item> together;
        for (const Chunk& chunk : chunks) {
            together.insert(together.end(), chunk.items.begin(), chunk.items.end());
        }
        return together;
    }

    std::vector<std::uint64_t> counts_;
    std::size_t local_;
    std::size_t count_;
    std::size_t exchange_;
    std::size_t merge_;
};

} // namespace goodsyard::sorting
