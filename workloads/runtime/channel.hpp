// A typed channel: items to any rank, aggregated into a message for each, without a header on any of them.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "runtime/delivery.hpp"
#include "runtime/name_of.hpp"
#include "runtime/outbox.hpp"
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
        : engine_(runtime.engine()), place_(place), forwarding_(make_forwarding(runtime, route, place)),
          capacity_(items_of_message(engine_)), when_full_(capacity_ == 1 ? Flush::single : Flush::full),
          ranks_(static_cast<unsigned>(engine_.size())), cache_(make_cache<Item>(engine_.parameters())),
          outbox_(engine_, engine_.add(*this), capacity_ * sizeof(Item), sizeof(Item)) {
        if constexpr (!is_routed<Item>) {
            if (forwarding_) {
                forwarding_->on_receipt([this](const Routed<Item>& item) { pass_on(item); },
                                        always<Execution::handler>);
            }
        }
    }
    ~Channel() override { engine_.remove(*this); }

    /// What is done with an item on its owner: `handler(item)`, or `handler(item, from)` with the rank that
    /// sent it. It may send on any channel. A handler that returns a `Task` is a coroutine, and needs
    /// `--execution coroutine`; it takes its item by value. Executed as the program's `--execution` has it,
    /// or by `execution`: an Execution, or `always` one.
    ///
    /// Where there is `handler.prefetch(item)`, it is called some items ahead.
    template <class Handler>
    void on_receipt(Handler handler) {
        on_receipt(std::move(handler), engine_.parameters().execution);
    }
    template <class Handler, class By>
    void on_receipt(Handler handler, By execution) {
        engine_.check_may_replace_handler(*this);
        delivery_ = std::make_unique<Handling<Item, Handler, By>>(engine_, std::move(handler), execution);
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
        engine_.counters().items_handled += items;
        delivery_->deliver({reinterpret_cast<const Item*>(message.data()), items}, message.rank);
    }
    void flush(Flush reason) override {
        empty_cache();
        if constexpr (!is_routed<Item>) {
            if (forwarding_) {
                forwarding_->flush(reason);
            }
        }
        outbox_.flush(reason);
    }
    void flush_older(double than_s) override { outbox_.flush_older(than_s); }
    [[nodiscard]] double oldest_since_s() const override { return outbox_.oldest_since_s(); }
    [[nodiscard]] bool has_unsent() const override {
        if constexpr (Combinable<Item>) {
            return outbox_.has_open() || (cache_ && cache_->held() > 0);
        } else {
            return outbox_.has_open();
        }
    }
    void end_epoch() override {
        outbox_.forget_sent();
        if constexpr (Combinable<Item>) {
            if (cache_) {
                engine_.counters().combined += cache_->take_combined();
                cache_->forget();
            }
        }
    }
    [[nodiscard]] std::uint64_t unhandled() const override {
        std::uint64_t items = outbox_.unhandled();
        if constexpr (!is_routed<Item>) {
            items += forwarding_ ? forwarding_->unhandled() : 0;
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
    static std::size_t items_of_message(Engine& engine) {
        if (sizeof(Item) > engine.pool().capacity_bytes()) {
            throw UsageError("items of " + std::to_string(sizeof(Item)) +
                             " bytes do not fit in messages of " +
                             std::to_string(engine.pool().capacity_bytes()) + "; --buffer-bytes");
        }
        const auto bytes = static_cast<std::size_t>(engine.parameters().buffer_bytes);
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
        engine_.refuse(name() +
                       (delivery_ == nullptr
                            ? " have come, and nobody handles them: call on_receipt() before the epoch"
                            : " are to be read from a message of " + std::to_string(message.size) +
                                  " bytes: make the same channels on all ranks, in the same order"));
    }
    void pass_on(const Routed<Item>& item) {
        if (item.to == engine_.rank()) {
            if (delivery_ == nullptr) [[unlikely]] {
                refuse_message({});
            }
            delivery_->deliver({&item.item, 1}, item.from);
        } else {
            ++engine_.counters().forwarded;
            forwarding_->send(engine_.routing().next(item.to), item);
        }
    }
    void put(int to, const Item& item) {
        if (static_cast<unsigned>(to) >= ranks_) [[unlikely]] {
            engine_.refuse_rank(to, *this);
        }
        if constexpr (!is_routed<Item>) {
            if (forwarding_ && to != engine_.rank()) {
                forwarding_->send(engine_.routing().next(to), {to, engine_.rank(), item});
                return;
            }
        }
        Outbox::Slot& slot = outbox_.slot(to);
        if (slot.next == nullptr) [[unlikely]] {
            outbox_.open(to);
        }
        new (slot.next) Item(item);
        slot.next += sizeof(Item);
        if (slot.next == slot.end) [[unlikely]] {
            outbox_.seal(to, when_full_);
        }
    }
    void empty_cache() {
        if constexpr (Combinable<Item>) {
            if (cache_) {
                cache_->empty([this](int rank, const Item& passed) { put(rank, passed); });
            }
        }
    }

    Engine& engine_;
    Place place_; ///< Where the program makes it.
    [[no_unique_address]] Forwarding forwarding_;
    std::size_t capacity_; ///< Items of a message.
    Flush when_full_;
    unsigned ranks_;
    CacheOf<Item> cache_;
    std::unique_ptr<Delivery<Item>> delivery_;
    Outbox outbox_;
};

} // namespace goodsyard::runtime
