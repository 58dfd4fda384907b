// Work items of classes that are not current yet, by key.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "agm/order.hpp"

namespace goodsyard::agm {

/// The next keys have a bucket each in a ring, later ones are in a heap: a push costs O(1), or O(log n) far
/// ahead.
template <class Item>
class Classes {
  public:
    /// `key` is not below that of the last `take`.
    void push(Key key, const Item& item) {
        if (key - base_ < width) {
            add(key, item);
        } else {
            far_.push_back({key, item});
            std::push_heap(far_.begin(), far_.end(), later);
        }
    }

    /// The least key of an item that `is_current`; others before it are dropped, each told to `drop`.
    template <class IsCurrent, class Drop>
    Key least(IsCurrent is_current, Drop drop) {
        for (Key key = next_used(base_); key != no_key; key = next_used(key)) {
            std::vector<Item>& bucket = ring_[key % width];
            while (!bucket.empty() && !is_current(bucket.back())) {
                drop(bucket.back());
                bucket.pop_back();
            }
            if (!bucket.empty()) {
                return key;
            }
            mark(key, false);
        }
        while (!far_.empty() && !is_current(far_.front().item)) {
            drop(far_.front().item);
            pop_far();
        }
        return far_.empty() ? no_key : far_.front().key;
    }

    /// Moves all items of the class `key`, which no item is before, into `out`, which is empty.
    void take(Key key, std::vector<Item>& out) {
        base_ = key;
        while (!far_.empty() && far_.front().key - base_ < width) {
            add(far_.front().key, far_.front().item);
            pop_far();
        }
        out.swap(ring_[key % width]);
        mark(key, false);
    }

    /// Begin again from key 0, with nothing.
    void clear() {
        for (std::vector<Item>& bucket : ring_) {
            bucket.clear();
        }
        used_.fill(0);
        far_.clear();
        base_ = 0;
    }

  private:
    static constexpr std::size_t width = 1024;
    static constexpr std::size_t word = 64;
    struct Far {
        Key key;
        Item item;
    };
    static bool later(const Far& a, const Far& b) { return a.key > b.key; }

    void add(Key key, const Item& item) {
        ring_[key % width].push_back(item);
        mark(key, true);
    }
    void pop_far() {
        std::pop_heap(far_.begin(), far_.end(), later);
        far_.pop_back();
    }
    void mark(Key key, bool used) {
        const std::uint64_t bit = std::uint64_t{1} << (key % word);
        std::uint64_t& bits = used_[key % width / word];
        bits = used ? bits | bit : bits & ~bit;
    }
    /// The first key from `from` on whose bucket is in use, or no_key.
    [[nodiscard]] Key next_used(Key from) const {
        for (Key key = from; key - base_ < width;) {
            const std::uint64_t bits = used_[key % width / word] >> (key % word);
            if (bits == 0) {
                key += word - key % word;
                continue;
            }
            key += static_cast<Key>(std::countr_zero(bits));
            return key - base_ < width ? key : no_key;
        }
        return no_key;
    }

    Key base_ = 0;
    std::array<std::vector<Item>, width> ring_;
    std::array<std::uint64_t, width / word> used_{};
    std::vector<Far> far_;
};

} // namespace goodsyard::agm
