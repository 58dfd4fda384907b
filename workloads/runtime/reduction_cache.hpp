// What was sent lately, by key, so that items which say nothing new are not sent: direct-mapped, as AM++ has
// it (J. Willcock, T. Hoefler, N. Edmonds, A. Lumsdaine: AM++: a generalized active message framework, PACT
// 2010, DOI 10.1145/1854273.1854323).
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/random.hpp"
#include "runtime/parameters.hpp"

namespace goodsyard::runtime {

template <class Item>
concept Combinable = requires(Item item, const Item& constant) {
    { constant.key() } -> std::convertible_to<std::uint64_t>;
    item.value() = item.value();
    { constant.value() < constant.value() } -> std::convertible_to<bool>;
};

/// Invariant: of `sum`, an entry in use is an item that was not sent; of the others, one that was.
template <class Item>
class ReductionCache {
  public:
    ReductionCache(Cache kind, int bits)
        : kind_(kind), entries_(std::size_t{1} << static_cast<unsigned>(bits)) {}

    /// Pass on to `put(rank, item)` what has to be sent now.
    template <class Put>
    void offer(int to, const Item& item, Put put) {
        Entry& entry = entries_[mix64(item.key()) & (entries_.size() - 1)];
        const bool known = entry.epoch == epoch_ && entry.item.key() == item.key();
        switch (kind_) {
        case Cache::sum:
            if (known) {
                entry.item.value() += item.value();
                ++combined_;
                return;
            }
            if (entry.epoch == epoch_) {
                const Entry evicted = entry;
                entry = {item, to, epoch_};
                put(evicted.to, evicted.item);
                return;
            }
            held_.push_back(static_cast<std::uint32_t>(&entry - entries_.data()));
            entry = {item, to, epoch_};
            return;
        case Cache::min:
            if (known && !(item.value() < entry.item.value())) {
                ++combined_;
                return;
            }
            break;
        case Cache::duplicates:
            // By bytes: an item that differs in its padding alone is sent, and rejected there.
            // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
            if (known && std::memcmp(&entry.item, &item, sizeof(Item)) == 0) {
                ++combined_;
                return;
            }
            break;
        case Cache::none:
            break;
        }
        entry = {item, to, epoch_};
        put(to, item);
    }

    /// Pass on all that was not sent.
    template <class Put>
    void empty(Put put) {
        while (!held_.empty()) {
            Entry& entry = entries_[held_.back()];
            held_.pop_back();
            entry.epoch = 0;
            // Passing it on may wait, and another task use the cache meanwhile.
            const Entry passed = entry;
            put(passed.to, passed.item);
        }
    }
    /// Items that were not sent.
    [[nodiscard]] std::size_t held() const { return held_.size(); }

    /// Forget what was sent: it may have to be sent again.
    void forget() { epoch_++; }

    /// Items that were not passed on since this was last called.
    std::uint64_t take_combined() { return std::exchange(combined_, 0); }

  private:
    struct Entry {
        Item item;
        int to = 0;
        std::uint64_t epoch = 0; ///< In which it was made; 0: not in use.
    };

    Cache kind_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> held_; ///< Of `sum`: entries in use.
    std::uint64_t epoch_ = 1;
    std::uint64_t combined_ = 0;
};

struct NoCache {};
template <class Item>
using CacheOf = std::conditional_t<Combinable<Item>, std::unique_ptr<ReductionCache<Item>>, NoCache>;

/// The cache that is asked for; none where these items cannot be combined.
template <class Item>
CacheOf<Item> make_cache(const Parameters& parameters) {
    if constexpr (Combinable<Item>) {
        return parameters.cache == Cache::none
                   ? nullptr
                   : std::make_unique<ReductionCache<Item>>(parameters.cache, parameters.cache_bits);
    } else {
        return {};
    }
}

} // namespace goodsyard::runtime
