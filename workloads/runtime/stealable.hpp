// Items that any rank may work on: each rank takes its newest, and who has none steals the oldest of others.
//
// V. A. Saraswat, P. Kambadur, S. Kodali, D. Grove, S. Krishnamoorthy: Lifeline-based global load balancing,
// PPoPP 2011, DOI 10.1145/1941553.1941582. After some victims in vain a rank asks nobody any more, but is
// remembered by a few others, which give it of what they get: so an epoch of ranks that only look for work
// ends.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/random.hpp"
#include "runtime/channel.hpp"

namespace goodsyard::runtime {

/// Ranks that steal from each other, those of a node for instance; a rank that works on items is one of them.
struct Thieves {
    int first = 0;
    int count = 1;
};

/// All ranks.
[[nodiscard]] inline Thieves all_ranks(const Runtime& runtime) {
    return {0, runtime.size()};
}
/// This rank alone: nothing is stolen.
[[nodiscard]] inline Thieves this_rank(const Runtime& runtime) {
    return {runtime.rank(), 1};
}

/// As a channel: made in the same order on all ranks. How much is stolen, and how often ranks look for
/// messages, are parameters of the runtime.
template <class Item>
class Stealable {
  public:
    /// `seed` is that of the victims.
    Stealable(Runtime& runtime, const Thieves& thieves, std::uint64_t seed = 1)
        : runtime_(runtime), thieves_(thieves), random_(seed, static_cast<std::uint64_t>(runtime.rank())),
          requests_(runtime, Route::direct), refusals_(runtime, Route::direct),
          gifts_(runtime, Route::direct), // They are few, and somebody waits for them.

          waits_at_(static_cast<std::size_t>(runtime.size())) {
        // Handlers always: none of these waits, and a thief whose tasks all wait must be given items too.
        requests_.on_receipt([this](const Request& request, int thief) { serve(request, thief); },
                             always<Execution::handler>);
        refusals_.on_receipt(
            [this](const Refusal&) {
                ++runtime_.counters().refusals;
                asks_ = false;
            },
            always<Execution::handler>);
        gifts_.on_receipt(
            [this](const Item& item, int from) {
                asks_ = false;
                in_vain_ = 0;
                waits_at_[static_cast<std::size_t>(from)] = false;
                items_.push(item);
            },
            always<Execution::handler>);
    }

    Stealable(const Stealable&) = delete;
    Stealable& operator=(const Stealable&) = delete;
    ~Stealable() {
        runtime_.engine().check_nothing_is_lost(
            unwound_, items_.size(), "items of Stealable<" + name_of<Item>() + "> that nobody worked on");
    }

    /// What is done with an item, wherever, newest first; it may add further ones. Executed as the program's
    /// `--execution` has it, or by `execution`: an Execution, or `always` one.
    template <class Handler>
    void on_turn(Handler handler) {
        on_turn(std::move(handler), runtime_.parameters().execution);
    }
    template <class Handler, class By>
    void on_turn(Handler handler, By execution) {
        delivery_ =
            std::make_unique<Handling<Item, Handler, By>>(runtime_.engine(), std::move(handler), execution);
    }
    /// Forget who waits for whom, as at first; victims are drawn further on. To be called by all ranks
    /// between two epochs that are to be alike.
    void restart() {
        waiting_ = {};
        waits_at_.assign(waits_at_.size(), false);
        in_vain_ = 0;
    }
    /// Add an item on this rank.
    void add(const Item& item) { items_.push(item); }
    /// Items of this rank that nobody works on.
    [[nodiscard]] std::size_t size() const { return items_.size(); }

    /// Work on some items, or look for some: to be called by the `step` of an epoch. Returns whether there
    /// was anything to do.
    bool step() {
        while (!waiting_.empty() && items_.size() > 1) {
            give(waiting_.pop());
        }
        if (delivery_ == nullptr) [[unlikely]] {
            runtime_.engine().refuse("nobody works on items of Stealable<" + name_of<Item>() +
                                     ">: call on_turn() before the epoch");
        }
        const std::size_t count = delivery_->take(items_, runtime_.parameters().poll_interval);
        return count > 0 || (items_.empty() && ask());
    }

  private:
    struct Request {
        bool waits; ///< Is to be remembered where there is nothing to give.
    };
    struct Refusal {};

    /// Whether somebody has been asked.
    bool ask() {
        const int rest = thieves_.count - 1;
        if (asks_ || rest == 0) {
            return false;
        }
        if (in_vain_ < runtime_.parameters().steal_attempts) {
            ++in_vain_;
            asks_ = true;
            const auto drawn = static_cast<int>(random_.below(static_cast<std::uint64_t>(rest), drawn_++));
            ask_of(other(1 + drawn), false);
            return true;
        }
        bool any = false;
        for (int distance = 1; distance <= rest; distance *= 2) {
            const int rank = other(distance);
            if (!waits_at_[static_cast<std::size_t>(rank)]) {
                waits_at_[static_cast<std::size_t>(rank)] = true;
                ask_of(rank, true);
                any = true;
            }
        }
        return any;
    }
    /// The thief at a distance from this one.
    [[nodiscard]] int other(int distance) const {
        return thieves_.first + (runtime_.rank() - thieves_.first + distance) % thieves_.count;
    }
    void ask_of(int victim, bool waits) {
        ++runtime_.counters().steals_tried;
        requests_.send(victim, {waits});
        requests_.flush();
    }

    void serve(const Request& request, int thief) {
        if (items_.size() > 1) {
            give(thief);
        } else if (request.waits) {
            waiting_.push(thief);
        } else {
            refusals_.send(thief, {});
            refusals_.flush();
        }
    }
    void give(int thief) {
        const std::size_t half = items_.size() / 2;
        const std::size_t chunk = runtime_.parameters().steal_chunk;
        const std::size_t count = chunk == 0 ? half : std::min(half, chunk);
        for (std::size_t i = 0; i < count; ++i) {
            gifts_.send(thief, items_.pop());
        }
        gifts_.flush();
        ++runtime_.counters().steals;
        runtime_.counters().stolen_items += count;
        runtime_.counters().steals_by_items.add(count);
    }

    Unwound unwound_;
    Runtime& runtime_;
    Thieves thieves_;
    Random random_;
    std::uint64_t drawn_ = 0;
    Channel<Request> requests_;
    Channel<Refusal> refusals_;
    Channel<Item> gifts_;
    std::unique_ptr<Delivery<Item>> delivery_;
    Queue<Item> items_;
    Queue<int> waiting_;         ///< Thieves that this rank is to remember.
    std::vector<bool> waits_at_; ///< Ranks that remember this one.
    bool asks_ = false;
    int in_vain_ = 0;
};

} // namespace goodsyard::runtime
