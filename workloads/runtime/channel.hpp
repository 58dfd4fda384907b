// A typed channel: items to any rank, aggregated into a message for each, without a header on any of them.
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "runtime/delivery.hpp"
#include "runtime/name_of.hpp"
#include "runtime/open_messages.hpp"
#include "runtime/reduction_cache.hpp"
#include "runtime/routed.hpp"
#include "runtime/runtime.hpp"

namespace goodsyard::runtime {

/// Made in the same order on all ranks, with its handler, before the epoch in which it is used; given up in
/// the same order on all ranks, outside of epochs.
///
/// An `Item` that a cache may combine has `key()`, an integer (of its owner too: the same key always goes to
/// the same rank), and `value()`, a reference to what is compared or added.
template <class Item>
class Channel final : public Mailbox {
    static_assert(std::is_trivially_copyable_v<Item> && alignof(Item) <= 64);

  public:
    /// Items go by the route of the program, unless by this one. Raises UsageError where the buffers are too
    /// short for an item.
    explicit Channel(Runtime& runtime, Place place = Place::current())
        : Channel(runtime, runtime.parameters().route, place) {}
    Channel(Runtime& runtime, Route route, Place place = Place::current())
        : runtime_(runtime), place_(place), forwarding_(make_forwarding(runtime, route, place)),
          capacity_(items_of_message(runtime)), when_full_(capacity_ == 1 ? Flush::single : Flush::full),
          ranks_(static_cast<unsigned>(runtime.size())), slots_(ranks_), open_(slots_.size()),
          cache_(make_cache<Item>(runtime.parameters())), number_(runtime.add(*this)) {
        if constexpr (!is_routed<Item>) {
            if (forwarding_) {
                forwarding_->on_receipt([this](const Routed<Item>& item) { pass_on(item); },
                                        always<Execution::handler>);
            }
        }
    }
    ~Channel() override { runtime_.remove(*this); }

    /// What is done with an item on its owner: `handler(item)`, or `handler(item, from)` with the rank that
    /// sent it. It may send on any channel. A handler that returns a `Task` is a coroutine, and needs
    /// `--execution coroutine`; it takes its item by value. Executed as the program's `--execution` has it,
    /// or by `execution`: an Execution, or `always` one.
    ///
    /// Where there is `handler.prefetch(item)`, it is called some items ahead.
    template <class Handler>
    void on_receipt(Handler handler) {
        on_receipt(std::move(handler), runtime_.parameters().execution);
    }
    template <class Handler, class By>
    void on_receipt(Handler handler, By execution) {
        delivery_ = std::make_unique<Handling<Item, Handler, By>>(runtime_, std::move(handler), execution);
    }

    /// Send an item. Legal everywhere, inside of handlers too; runs no handler.
    void send(int to, const Item& item) {
        if constexpr (Combinable<Item>) {
            if (cache_) {
                cache_->offer(to, item, [this](int rank, const Item& passed) { put(rank, passed); });
                return;
            }
        }
        put(to, item);
    }

    /// Send now what was aggregated so far.
    void flush() { flush(Flush::asked); }

    void deliver(const Buffer& message) override {
        const std::size_t items = message.size / sizeof(Item);
        if (delivery_ == nullptr || message.size != items * sizeof(Item)) [[unlikely]] {
            refuse_message(message);
        }
        runtime_.counters().items_handled += items;
        delivery_->deliver({reinterpret_cast<const Item*>(message.data()), items}, message.rank);
    }
    void flush(Flush reason) override {
        empty_cache();
        if constexpr (!is_routed<Item>) {
            if (forwarding_) {
                forwarding_->flush(reason);
            }
        }
        while (open_.any()) {
            seal(open_.oldest(), reason);
        }
    }
    void flush_older(double than_s) override {
        while (open_.any() && open_.oldest_since_s() < than_s) {
            seal(open_.oldest(), Flush::age);
        }
    }
    [[nodiscard]] double oldest_since_s() const override {
        return open_.any() ? open_.oldest_since_s() : std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] bool has_unsent() const override {
        if constexpr (Combinable<Item>) {
            return open_.any() || (cache_ && cache_->held() > 0);
        } else {
            return open_.any();
        }
    }
    void end_epoch() override {
        sent_ = 0;
        if constexpr (Combinable<Item>) {
            if (cache_) {
                runtime_.counters().combined += cache_->take_combined();
                cache_->forget();
            }
        }
    }
    [[nodiscard]] std::uint64_t unhandled() const override {
        std::uint64_t items = sent_;
        if constexpr (!is_routed<Item>) {
            items += forwarding_ ? forwarding_->unhandled() : 0;
        }
        for (const Slot& slot : slots_) {
            items += slot.next == nullptr ? 0 : items_in(slot);
        }
        if constexpr (Combinable<Item>) {
            items += cache_ ? cache_->held() : 0;
        }
        return items;
    }
    [[nodiscard]] std::string name() const override {
        return with_place("items of Channel<" + name_of<Item>() + ">", place_);
    }

  private:
    /// Where the next item for a rank goes; none while no message is open.
    struct Slot {
        Item* next = nullptr;
        Item* end = nullptr;
    };

    static std::size_t items_of_message(Runtime& runtime) {
        if (sizeof(Item) > runtime.pool().capacity_bytes()) {
            throw UsageError("items of " + std::to_string(sizeof(Item)) +
                             " bytes do not fit in messages of " +
                             std::to_string(runtime.pool().capacity_bytes()) + "; --buffer-bytes");
        }
        const auto bytes = static_cast<std::size_t>(runtime.parameters().buffer_bytes);
        return std::max<std::size_t>(1, bytes / sizeof(Item));
    }
    /// Nothing where items go directly, as those do that others are forwarded in.
    struct None {};
    using Forwarding = std::conditional_t<is_routed<Item>, None, std::unique_ptr<Channel<Routed<Item>>>>;
    static Forwarding make_forwarding(Runtime& runtime, Route route, const Place& place) {
        if constexpr (!is_routed<Item>) {
            if (route != Route::direct) {
                return std::make_unique<Channel<Routed<Item>>>(runtime, Route::direct, place);
            }
        }
        return {};
    }
    [[noreturn]] void refuse_message(const Buffer& message) const {
        runtime_.refuse(name() +
                        (delivery_ == nullptr
                             ? " have come, and nobody handles them: call on_receipt() before the epoch"
                             : " are to be read from a message of " + std::to_string(message.size) +
                                   " bytes: make the same channels on all ranks, in the same order"));
    }
    void pass_on(const Routed<Item>& item) {
        if (item.to == runtime_.rank()) {
            if (delivery_ == nullptr) [[unlikely]] {
                refuse_message({});
            }
            delivery_->deliver({&item.item, 1}, item.from);
        } else {
            ++runtime_.counters().forwarded;
            forwarding_->send(runtime_.routing().next(item.to), item);
        }
    }
    void put(int to, const Item& item) {
        if (static_cast<unsigned>(to) >= ranks_) [[unlikely]] {
            runtime_.refuse_rank(to, *this);
        }
        if constexpr (!is_routed<Item>) {
            if (forwarding_ && to != runtime_.rank()) {
                forwarding_->send(runtime_.routing().next(to), {to, runtime_.rank(), item});
                return;
            }
        }
        Slot& slot = slots_[static_cast<std::size_t>(to)];
        if (slot.next == nullptr) [[unlikely]] {
            open(to);
        }
        new (slot.next) Item(item);
        if (++slot.next == slot.end) [[unlikely]] {
            seal(to, when_full_);
        }
    }
    [[nodiscard]] std::size_t items_in(const Slot& slot) const {
        return capacity_ - static_cast<std::size_t>(slot.end - slot.next);
    }
    void open(int to) {
        const double now_s = runtime_.parameters().flush_age_s > 0 ? runtime_.now_s() : 0;
        const Buffer& message = open_.open(to, runtime_.pool().take(), now_s);
        Slot& slot = slots_[static_cast<std::size_t>(to)];
        slot.next = reinterpret_cast<Item*>(message.data());
        slot.end = slot.next + capacity_;
    }
    void seal(int to, Flush reason) {
        Slot& slot = slots_[static_cast<std::size_t>(to)];
        const std::size_t items = items_in(slot);
        slot = {};
        Buffer message = open_.close(to);
        message.size = static_cast<std::uint32_t>(items * sizeof(Item));
        message.rank = to;
        message.channel = number_;
        sent_ += items;
        runtime_.counters().items += items;
        runtime_.counters().items_by_bytes.add(sizeof(Item), items);
        runtime_.post(std::move(message), reason);
    }
    void empty_cache() {
        if constexpr (Combinable<Item>) {
            if (cache_) {
                cache_->empty([this](int rank, const Item& passed) { put(rank, passed); });
            }
        }
    }

    Runtime& runtime_;
    Place place_; ///< Where the program makes it.
    [[no_unique_address]] Forwarding forwarding_;
    std::size_t capacity_; ///< Items of a message.
    Flush when_full_;
    unsigned ranks_;
    std::vector<Slot> slots_;
    OpenMessages open_;
    CacheOf<Item> cache_;
    std::unique_ptr<Delivery<Item>> delivery_;
    std::uint64_t sent_ = 0; ///< Items, since the last epoch ended.
    int number_;
};

} // namespace goodsyard::runtime
