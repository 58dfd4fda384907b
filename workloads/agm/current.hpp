// The work items of the current class on this rank, in the rank's own order.
#pragma once

#include <algorithm>
#include <cstddef>
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

    void push(Key key, const Item& item) {
        if (ordered_) {
            heap_.push_back({key, item});
            std::push_heap(heap_.begin(), heap_.end(), later);
        } else {
            queue_.push_back(item);
        }
    }

    [[nodiscard]] Item pop() {
        if (ordered_) {
            std::pop_heap(heap_.begin(), heap_.end(), later);
            const Item item = heap_.back().item;
            heap_.pop_back();
            return item;
        }
        const Item item = queue_[next_++];
        if (next_ == queue_.size()) {
            queue_.clear();
            next_ = 0;
        }
        return item;
    }

    /// The item to be popped after so many others, where that is known already.
    [[nodiscard]] const Item* ahead(std::size_t rest) const {
        return rest < queue_.size() - next_ ? &queue_[next_ + rest] : nullptr;
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
