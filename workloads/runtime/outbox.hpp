// Messages of a channel that were begun and not sent: at most one to each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/engine.hpp"

namespace goodsyard::runtime {
inline namespace GOODSYARD_MACHINE {

class Outbox {
  public:
    /// Where the next item for a rank goes; none while no message is open.
    struct Slot {
        std::byte* next = nullptr;
        std::byte* end = nullptr; ///< Of the message.
    };

    /// Messages of channel `number`, of at most `capacity_bytes`. Items of `item_bytes` are counted when
    /// their message is sent; where `item_bytes` is 0, by `count`.
    Outbox(Engine& engine, int number, std::size_t capacity_bytes, std::size_t item_bytes)
        : engine_(engine), number_(number), capacity_bytes_(capacity_bytes), item_bytes_(item_bytes),
          slots_(static_cast<std::size_t>(engine.size())), open_(slots_.size()) {}

    [[nodiscard]] Slot& slot(int to) { return slots_[static_cast<std::size_t>(to)]; }
    [[nodiscard]] std::size_t bytes_in(const Slot& slot) const {
        return slot.next == nullptr ? 0 : capacity_bytes_ - static_cast<std::size_t>(slot.end - slot.next);
    }
    [[nodiscard]] bool has_open() const { return oldest_ != none; }
    /// When the oldest message was begun; infinite where none is open.
    [[nodiscard]] double oldest_since_s() const {
        return has_open() ? at(oldest_).since_s : std::numeric_limits<double>::infinity();
    }
    /// Items that were sent, or are in open messages, since `forget_sent` was last called.
    [[nodiscard]] std::uint64_t unhandled() const {
        std::uint64_t items = sent_;
        for (const Slot& slot : slots_) {
            items += item_bytes_ == 0 ? 0 : bytes_in(slot) / item_bytes_;
        }
        return items;
    }
    void forget_sent() { sent_ = counted_ = 0; }
    /// A record, of which no other counts.
    void count(std::size_t bytes) {
        ++sent_;
        engine_.counters().items_by_bytes.add(bytes);
    }

    /// Begin a message to a rank that has none.
    void open(int to) {
        const double now_s = engine_.parameters().flush_age_s > 0 ? engine_.now_s() : 0;
        Open& message = at(to);
        message = {engine_.pool().take(), now_s, newest_, none};
        (newest_ == none ? oldest_ : at(newest_).after) = to;
        newest_ = to;
        slot(to) = {message.buffer.data(), message.buffer.data() + capacity_bytes_};
    }
    /// Send the open message to a rank. A fibre may wait for room, and others begin the next one meanwhile.
    void seal(int to, Flush reason) {
        Open& sealed = at(to);
        (sealed.before == none ? oldest_ : at(sealed.before).after) = sealed.after;
        (sealed.after == none ? newest_ : at(sealed.after).before) = sealed.before;
        Buffer message = std::move(sealed.buffer);
        const std::size_t bytes = bytes_in(std::exchange(slot(to), {}));
        message.size = static_cast<std::uint32_t>(bytes);
        message.rank = to;
        message.channel = number_;
        if (item_bytes_ > 0) {
            const std::uint64_t items = bytes / item_bytes_;
            sent_ += items;
            engine_.counters().items_by_bytes.add(item_bytes_, items);
        }
        engine_.counters().items += sent_ - std::exchange(counted_, sent_);
        engine_.post(std::move(message), reason);
    }
    void flush(Flush reason) {
        while (has_open()) {
            seal(oldest_, reason);
        }
    }
    void flush_older(double than_s) {
        while (oldest_since_s() < than_s) {
            seal(oldest_, Flush::age);
        }
    }

  private:
    static constexpr int none = -1;
    /// A message, in a list by age.
    struct Open {
        Buffer buffer;
        double since_s = 0;
        int before = none; ///< The rank whose message was begun before, and after, this.
        int after = none;
    };
    [[nodiscard]] Open& at(int rank) { return open_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const Open& at(int rank) const { return open_[static_cast<std::size_t>(rank)]; }

    Engine& engine_;
    int number_;
    std::size_t capacity_bytes_;
    std::size_t item_bytes_;
    std::vector<Slot> slots_; ///< By rank, as `open_`; apart, since these alone are read for each item.
    std::vector<Open> open_;
    int oldest_ = none;
    int newest_ = none;
    std::uint64_t sent_ = 0;
    std::uint64_t counted_ = 0; ///< Of these: in the counters.
};

} // namespace GOODSYARD_MACHINE
} // namespace goodsyard::runtime
