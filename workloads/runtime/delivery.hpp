// What becomes of the items of a message, by the execution model: the one place where these differ.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "harness/failure.hpp"
#include "runtime/engine.hpp"

namespace goodsyard::runtime {

/// Handles items, those of messages and those of this rank.
template <class Item>
class Delivery {
  public:
    Delivery() = default;
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;
    virtual ~Delivery() = default;
    virtual void deliver(std::span<const Item> items, int from) = 0;
    /// Work on the newest of some items of this rank, and on those that come while it does, as long as there
    /// is room for tasks; returns on how many, at most `limit`.
    virtual std::size_t take(Queue<Item>& items, std::size_t limit) = 0;
};

/// An execution model that is decided when a program is compiled, in place of an `Execution`: there is no
/// code for the others.
template <Execution execution>
inline constexpr std::integral_constant<Execution, execution> always;

template <class By>
consteval bool may_be(Execution execution) {
    if constexpr (std::is_same_v<By, Execution>) {
        return true;
    } else {
        return By::value == execution;
    }
}

/// A handler takes the rank that sent an item, or leaves it.
template <class Item, class Handler>
auto handle(Handler& handler, const Item& item, int from) {
    if constexpr (std::is_invocable_v<Handler&, const Item&, int>) {
        return handler(item, from);
    } else {
        return handler(item);
    }
}

/// `By` is Execution, or of `always`.
template <class Item, class Handler, class By>
class Handling final : public Delivery<Item> {
    static constexpr bool is_coroutine =
        std::is_same_v<decltype(handle(std::declval<Handler&>(), std::declval<const Item&>(), 0)), Task>;
    static constexpr bool by_fibres = !is_coroutine && may_be<By>(Execution::fibre);
    static constexpr bool by_coroutines = is_coroutine || may_be<By>(Execution::coroutine);
    static constexpr bool by_handler = !is_coroutine && may_be<By>(Execution::handler);

  public:
    Handling(Engine& engine, Handler handler, By execution)
        : engine_(engine), handler_(std::move(handler)), execution_(execution) {
        if (is_coroutine && execution != Execution::coroutine) {
            throw UsageError("a handler of this program is a coroutine; --execution coroutine");
        }
    }

    void deliver(std::span<const Item> items, int from) override {
        for (std::size_t i = 0; i < items.size() && i < ahead; ++i) {
            prefetch(items[i]);
        }
        if constexpr (by_fibres) {
            if (execution_ == Execution::fibre) {
                return deliver_to_fibres(items, from);
            }
        }
        if constexpr (by_coroutines) {
            if (is_coroutine || execution_ == Execution::coroutine) {
                return deliver_to_coroutines(items, from);
            }
        }
        if constexpr (by_handler) {
            deliver_to_handler(items, from);
        }
    }
    std::size_t take(Queue<Item>& items, std::size_t limit) override {
        if constexpr (by_fibres) {
            if (execution_ == Execution::fibre) {
                Newest newest{*this, items};
                return run_fibres(newest, limit);
            }
        }
        std::size_t count = 0;
        if constexpr (by_handler) {
            if (execution_ == Execution::handler) {
                for (; count < limit && !items.empty(); ++count) {
                    const Item item = items.pop_newest();
                    handle(handler_, item, engine_.rank());
                }
                engine_.charge(Work::handler, static_cast<double>(count));
                return count;
            }
        }
        if constexpr (by_coroutines) {
            for (; count < limit && !items.empty() && engine_.tasks().has_room(); ++count) {
                engine_.tasks().run(coroutine(handler_, items.pop_newest(), engine_.rank()));
            }
        }
        return count;
    }

  private:
    /// Items between the one that is handled and the one that is prefetched.
    static constexpr std::size_t ahead = 8;

    void prefetch(const Item& item) {
        if constexpr (requires { handler_.prefetch(item); }) {
            handler_.prefetch(item);
        }
    }
    template <class Run>
    void each(std::span<const Item> items, Run run) {
        const std::size_t count = items.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (i + ahead < count) {
                prefetch(items[i + ahead]);
            }
            run(items[i]);
        }
    }

    void deliver_to_handler(std::span<const Item> items, int from) {
        each(items, [&](const Item& item) { handle(handler_, item, from); });
        engine_.charge(Work::handler, static_cast<double>(items.size()));
    }
    // What a task with a stack does: copy an item, since the place that it came from is gone when the task
    // goes on after waiting. The next one begins when what was posted has been sent.
    struct Arrived {
        Handling& self;
        std::span<const Item> items;
        int from;
        [[nodiscard]] bool any() const { return !items.empty() && !self.engine_.has_posted(); }
        void run() {
            if (items.size() > ahead) {
                self.prefetch(items[ahead]);
            }
            const Item item = items.front();
            items = items.subspan(1);
            handle(self.handler_, item, from);
        }
    };
    struct Newest {
        Handling& self;
        Queue<Item>& items;
        [[nodiscard]] bool any() const { return !items.empty() && !self.engine_.has_posted(); }
        void run() {
            const Item item = items.pop_newest();
            handle(self.handler_, item, self.engine_.rank());
        }
    };
    template <class Next>
    std::size_t run_fibres(Next& next, std::size_t limit) {
        std::size_t begun = 0;
        for (std::size_t extra = 1; extra > 0; begun += extra) {
            engine_.send_posted();
            extra = engine_.tasks().run_each(next, limit - begun);
        }
        return begun;
    }
    void deliver_to_fibres(std::span<const Item> items, int from) {
        Arrived arrived{*this, items, from};
        run_fibres(arrived, items.size());
        for (const Item& item : arrived.items) { // There is no room for these.
            engine_.tasks().spawn([this, item, from] { handle(handler_, item, from); });
        }
    }
    void deliver_to_coroutines(std::span<const Item> items, int from) {
        each(items, [&](const Item& item) { engine_.tasks().run(coroutine(handler_, item, from)); });
    }
    static Task coroutine(Handler& handler, Item item, int from) {
        if constexpr (is_coroutine) {
            return handle(handler, item, from);
        } else {
            return wrapped(&handler, item, from);
        }
    }
    static Task wrapped(Handler* handler, Item item, int from) {
        handle(*handler, item, from);
        co_return;
    }

    Engine& engine_;
    Handler handler_;
    [[no_unique_address]] By execution_;
};

} // namespace goodsyard::runtime
