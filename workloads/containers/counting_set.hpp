// How often each key was inserted by all ranks, with the semantics of YGM's `counting_set`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "containers/map.hpp"

namespace goodsyard::containers {

/// As `Map`. Counts of keys that a rank inserts again and again are added up before they are sent, in a cache
/// of one key a place. They are sent when another key needs the place, and by the collective functions of
/// this container; the end of an epoch alone does not complete an insertion.
template <class Key, class Hash = std::hash<Key>>
class CountingSet {
  public:
    /// Collective. `messages` outlives this.
    CountingSet(const Team& team, global::Messages& messages)
        : runtime_(messages.runtime()), messages_(messages), counts_(team, messages), top_(team, found_),
          cache_(places) {}
    CountingSet(const CountingSet&) = delete;
    CountingSet& operator=(const CountingSet&) = delete;

    /// Legal everywhere.
    void async_insert(const Key& key) {
        const auto place = static_cast<std::size_t>(mix64(static_cast<std::uint64_t>(Hash{}(key)))) % places;
        Entry& entry = cache_[place];
        if (entry.count > 0 && entry.key != key) {
            // Out of the cache first: to send may let other tasks insert.
            const Entry evicted = std::exchange(entry, {key, 1});
            send(evicted);
            return;
        }
        if (entry.count++ == 0) {
            entry.key = key;
            used_.push_back(place);
        }
    }

    /// Different keys of all ranks. Collective.
    [[nodiscard]] std::uint64_t size() { return complete(counts_.own()); }
    /// Insertions of all ranks. Collective.
    [[nodiscard]] std::uint64_t count_all() {
        complete(counts_.own());
        std::uint64_t local = 0;
        for (const auto& [key, count] : counts_.own()) {
            local += count;
        }
        return runtime_.epoch([] { return false; }, [local] { return runtime::Agreed{.sum = local}; }).sum;
    }
    /// `f(key, count)` for the keys of each rank, on it. Collective.
    template <class F>
    void for_all(F f) {
        complete(counts_.own());
        for (const auto& [key, count] : counts_.own()) {
            f(key, count);
        }
    }
    /// The keys that were inserted most often, at most `most`, on every rank: the most frequent first, and of
    /// equally frequent ones the least key. Collective.
    [[nodiscard]] std::vector<std::pair<Key, std::uint64_t>> top(std::size_t most) {
        complete(counts_.own());
        const std::vector<std::pair<Key, std::uint64_t>> local =
            shorten({counts_.own().begin(), counts_.own().end()}, most);
        found_.clear();
        runtime_.epoch(); // All ranks have forgotten an earlier one.
        for (int rank = 0; rank < runtime_.size(); ++rank) {
            messages_.async(
                top_.on(rank),
                [](auto& result, std::vector<std::pair<Key, std::uint64_t>>& sent) {
                    result.insert(result.end(), sent.begin(), sent.end());
                },
                local);
        }
        runtime_.epoch();
        return shorten(std::move(found_), most);
    }

  private:
    using Counts = std::vector<std::pair<Key, std::uint64_t>>;
    static constexpr std::size_t places = 4096;
    struct Entry {
        Key key{};
        std::uint64_t count = 0; ///< 0: the place is free.
    };

    void send(const Entry& entry) { counts_.async_reduce(entry.key, entry.count, std::plus<>()); }
    /// Send what is in the cache. Returns whether there was anything.
    bool empty_cache() {
        const bool any = !used_.empty();
        for (const std::size_t place : std::exchange(used_, {})) {
            send(std::exchange(cache_[place], {}));
        }
        return any;
    }
    /// Returns the sum over ranks of the sizes of what is given, when all insertions have happened.
    template <class Own>
    std::uint64_t complete(const Own& local) {
        return runtime_
            .epoch([this] { return empty_cache(); }, [&] { return runtime::Agreed{.sum = local.size()}; })
            .sum;
    }
    static Counts shorten(Counts counts, std::size_t most) {
        std::sort(counts.begin(), counts.end(), [](const auto& left, const auto& right) {
            return std::pair(right.second, left.first) < std::pair(left.second, right.first);
        });
        counts.resize(std::min(most, counts.size()));
        return counts;
    }

    runtime::Runtime& runtime_;
    global::Messages& messages_;
    Map<Key, std::uint64_t, Hash> counts_;
    Counts found_;
    global::Symmetric<Counts> top_;
    std::vector<Entry> cache_;
    std::vector<std::size_t> used_; ///< Places.
};

} // namespace goodsyard::containers
