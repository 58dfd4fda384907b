// Messages that come one after the other, the earliest first; of those at the same time, that which was put
// in first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/buffer.hpp"

namespace goodsyard::virtual_time {

struct Arrival {
    double time_s = 0;
    double occupied_s = 0; ///< Of the port that it comes to.
    int to = 0;
    runtime::Buffer message = {};
};

class Arrivals {
  public:
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] double next_s() const { return heap_.front().time_s; }

    void push(Arrival&& arrival) {
        heap_.push_back({arrival.time_s, order_++, place()});
        kept_[heap_.back().place] = std::move(arrival);
        std::push_heap(heap_.begin(), heap_.end());
    }
    [[nodiscard]] Arrival pop() {
        std::pop_heap(heap_.begin(), heap_.end());
        const std::uint32_t place = heap_.back().place;
        heap_.pop_back();
        free_.push_back(place);
        return std::move(kept_[place]);
    }

  private:
    /// What is compared lies close together, whatever is kept.
    struct Entry {
        double time_s;
        std::uint64_t order;
        std::uint32_t place;
        [[nodiscard]] bool operator<(const Entry& second) const { // A heap's first is the greatest.
            return time_s > second.time_s || (time_s == second.time_s && order > second.order);
        }
    };
    [[nodiscard]] std::uint32_t place() {
        if (free_.empty()) {
            kept_.emplace_back();
            return static_cast<std::uint32_t>(kept_.size() - 1);
        }
        const std::uint32_t place = free_.back();
        free_.pop_back();
        return place;
    }

    std::vector<Entry> heap_;
    std::vector<Arrival> kept_;
    std::vector<std::uint32_t> free_;
    std::uint64_t order_ = 0;
};

} // namespace goodsyard::virtual_time
