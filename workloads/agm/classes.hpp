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
        if (!is_near(key)) [[unlikely]] {
            far_.push_back({key, item});
            std::push_heap(far_.begin(), far_.end(), later);
        } else {
            push_near(key, item);
        }
    }
    /// The same where it takes a store alone; otherwise nothing. Returns whether it did. It calls no
    /// function.
    [[gnu::always_inline]] bool push_at_once(Key key, const Item& item) {
        if (!is_near(key)) [[unlikely]] {
            return false;
        }
        std::vector<Item>& bucket = ring_[key % width];
        if (bucket.size() == bucket.capacity()) [[unlikely]] {
            return false;
        }
        bucket.push_back(item);
        return true;
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
            free_bucket(key);
        }
        while (!far_.empty() && !is_current(far_.front().item)) {
            drop(far_.front().item);
            pop_far();
        }
        return far_.empty() ? no_key : far_.front().key;
    }

    /// Whether there are items of the class `key`, the last that was taken.
    [[nodiscard]] bool has(Key key) const { return !ring_[key % width].empty(); }
    /// No key of what follows is that of the last `take` either.
    void end_taken() { ++base_; }
    /// What no key may be below.
    [[nodiscard]] Key base() const { return base_; }

    /// Moves all items of the class `key`, which no item is before, into `out`, which is empty.
    void take(Key key, std::vector<Item>& out) {
        base_ = key;
        while (!far_.empty() && far_.front().key - base_ < width) {
            push_near(far_.front().key, far_.front().item);
            pop_far();
        }
        out.swap(ring_[key % width]);
        free_bucket(key);
    }

    /// Begin again from key 0, with nothing.
    void clear() {
        for (Key key = 0; key < width; ++key) {
            free_bucket(key);
        }
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
    [[nodiscard]] bool is_near(Key key) const { return key - base_ < width; }
    void push_near(Key key, const Item& item) {
        std::vector<Item>& bucket = ring_[key % width];
        if (bucket.capacity() == 0) {
            if (!spare_.empty()) {
                bucket = std::move(spare_.back());
                spare_.pop_back();
            }
            mark(key, true);
        }
        bucket.push_back(item);
    }
    /// It has no memory then.
    void free_bucket(Key key) {
        std::vector<Item>& bucket = ring_[key % width];
        if (bucket.capacity() > 0) {
            bucket.clear();
            spare_.push_back(std::move(bucket));
        }
        mark(key, false);
    }
    static bool later(const Far& a, const Far& b) { return a.key > b.key; }

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
    std::array<std::vector<Item>, width> ring_; ///< Without items, without memory.
    std::vector<std::vector<Item>> spare_;      ///< Memory of former classes.
    std::array<std::uint64_t, width / word> used_{};
    std::vector<Far> far_;
};

} // namespace goodsyard::agm
