// The work items of the current class on this rank, in the rank's own order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "agm/order.hpp"

namespace goodsyard::agm {

/// First come, first served where the rank's own order is chaotic; otherwise the least key first.
template <class Item>
class Current {
  public:
    explicit Current(bool ordered) : ordered_(ordered) {}

    [[nodiscard]] bool empty() const { return ordered_ ? heap_.empty() : next_ == queue_.size(); }

    /// The least key of all; 0 without an order, and no_key where there is none.
    [[nodiscard]] Key least() const { return empty() ? no_key : ordered_ ? heap_.front().key : 0; }

    /// Where there is an order.
    void push(Key key, const Item& item) {
        heap_.push_back({key, item});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }

    /// What comes first whatever is pushed, until it is dropped; it is not empty.
    [[nodiscard]] std::span<const Item> first() {
        if (ordered_) {
            std::pop_heap(heap_.begin(), heap_.end(), later);
            queue_.assign(1, heap_.back().item);
            heap_.pop_back();
        }
        return std::span(queue_).subspan(next_);
    }
    void drop(std::size_t count) {
        next_ += count;
        if (next_ == queue_.size()) {
            queue_.clear();
            next_ = 0;
        }
    }

    /// Where a whole class of a queue without order may be put at once; it is empty.
    [[nodiscard]] std::vector<Item>& queue() { return queue_; }
    [[nodiscard]] bool is_ordered() const { return ordered_; }

  private:
    struct Keyed {
        Key key;
        Item item;
    };
    static bool later(const Keyed& a, const Keyed& b) { return a.key > b.key; }

    bool ordered_;
    std::vector<Item> queue_;
    std::size_t next_ = 0;
    std::vector<Keyed> heap_;
};

} // namespace goodsyard::agm
