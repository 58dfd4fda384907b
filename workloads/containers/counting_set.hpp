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
/// this container; the end of an epoch alone does not complete an insertion. The cache grows while keys
/// compete for its places, to 2^20 of them.
template <class Key, class Hash = std::hash<Key>>
class CountingSet {
  public:
    /// Collective. `messages` outlives this.
    CountingSet(const Team& team, global::Messages& messages,
                runtime::Place place = runtime::Place::current())
        : runtime_(messages.runtime()), messages_(messages), counts_(team, messages, place),
          top_(team, found_, "a CountingSet<" + runtime::name_of<Key>() + ">", place), cache_(first_places) {}
    CountingSet(const CountingSet&) = delete;
    CountingSet& operator=(const CountingSet&) = delete;
    ~CountingSet() {
        runtime_.engine().check_nothing_is_lost(
            unwound_, used_, "keys that were inserted into a CountingSet",
            "all ranks call one of its collective functions before its end");
    }

    /// Legal everywhere.
    void async_insert(const Key& key) {
        Entry& entry = cache_[find(key)];
        if (entry.count > 0 && entry.key != key) {
            // Out of the cache first: to send may let other tasks insert.
            const Entry evicted = std::exchange(entry, {key, 1});
            if (++evictions_ > cache_.size() / 8 && cache_.size() < most_places) {
                grow();
            }
            send(evicted);
            return;
        }
        if (entry.count++ == 0) {
            entry.key = key;
            ++used_;
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
        const runtime::Runtime::Loop loop(runtime_, "for_all of a CountingSet");
        for (const auto& [key, count] : counts_.own()) {
            f(key, count);
        }
    }
    /// Forget all keys. Collective.
    void clear() {
        complete(counts_.own());
        counts_.clear();
    }
    /// The keys that were inserted most often, at most `most`, on every rank: the most frequent first, and of
    /// equally frequent ones the least key. Collective.
    [[nodiscard]] std::vector<std::pair<Key, std::uint64_t>>
    top(std::size_t most, runtime::Place place = runtime::Place::current()) {
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
        const runtime::Agreed all = runtime_.epoch(
            [] { return false; }, [most] { return runtime::Agreed{.sum = most, .min = most}; });
        runtime_.engine().check_is_same("keys of top()", most, all, place);
        return shorten(std::move(found_), most);
    }

  private:
    using Counts = std::vector<std::pair<Key, std::uint64_t>>;
    static constexpr std::size_t first_places = std::size_t{1} << 12U;
    static constexpr std::size_t most_places = std::size_t{1} << 20U;
    struct Entry {
        Key key{};
        std::uint64_t count = 0; ///< 0: the place is free.
    };

    /// Keys whose hashes are neighbours are neighbours here: of integers, std::hash is often the integer, and
    /// small ones are the frequent ones.
    [[nodiscard]] std::size_t find(const Key& key) const {
        const std::size_t hash = Hash{}(key);
        return (hash ^ (hash >> 20U) ^ (hash >> 40U)) & (cache_.size() - 1);
    }
    /// Twice as many places: what is in the cache competes for none of them.
    void grow() {
        std::vector<Entry> smaller(2 * cache_.size());
        std::swap(cache_, smaller);
        for (Entry& entry : smaller) {
            if (entry.count > 0) {
                cache_[find(entry.key)] = std::move(entry);
            }
        }
        evictions_ = 0;
    }
    void send(const Entry& entry) { counts_.async_reduce(entry.key, entry.count, std::plus<>()); }
    /// Send what is in the cache, in the order of places, and add what is of this rank. Returns whether
    /// there was anything.
    bool empty_cache() {
        const bool any = used_ > 0;
        for (std::size_t place = 0; used_ > 0 && place < cache_.size(); ++place) {
            if (cache_[place].count == 0) {
                continue;
            }
            const Entry entry = std::exchange(cache_[place], {});
            --used_;
            if (counts_.owner(entry.key) == runtime_.rank()) {
                counts_.reduce_own(entry.key, entry.count, std::plus<>());
            } else {
                send(entry);
            }
        }
        evictions_ = 0;
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

    Unwound unwound_;
    runtime::Runtime& runtime_;
    global::Messages& messages_;
    Map<Key, std::uint64_t, Hash> counts_;
    Counts found_;
    global::Symmetric<Counts> top_;
    std::vector<Entry> cache_;
    std::size_t used_ = 0;      ///< Places.
    std::size_t evictions_ = 0; ///< Since the cache has grown, or was emptied.
};

} // namespace goodsyard::containers
