// The Abstract Graph Machine: work items in classes, the least class first, on all ranks together.
//
// T. A. Kanewala, M. Zalewski, A. Lumsdaine: Families of graph algorithms: SSSP case study, Euro-Par 2017,
// DOI 10.1007/978-3-319-64203-1_31. An epoch of the runtime works on one class; what ends it finds the next
// one on the way. Items of a class that are on one rank are in an order of the rank's own below the global
// one, or of its node's: then no rank works on an item while another of its node has a lesser one (the
// extended machine, whose orders are by levels of a machine).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "agm/classes.hpp"
#include "agm/current.hpp"
#include "agm/order.hpp"
#include "graph/csr.hpp"
#include "harness/failure.hpp"
#include "runtime/channel.hpp"

namespace goodsyard::agm {

/// By value what loops over items need of an algorithm, where it has that: it stays in registers, whatever
/// they store. Otherwise the algorithm.
template <class Algorithm>
Algorithm& view_of(Algorithm& algorithm) {
    return algorithm;
}
template <class Algorithm>
    requires requires(Algorithm& algorithm) { algorithm.view(); }
auto view_of(Algorithm& algorithm) {
    return algorithm.view();
}
/// What an item is while it waits for its class.
template <class Algorithm>
struct KeptOf {
    using Type = Algorithm::Item;
};
template <class Algorithm>
    requires requires { typename Algorithm::Kept; }
struct KeptOf<Algorithm> {
    using Type = Algorithm::Kept;
};
/// What `process` is given, for the concept.
template <class Item>
struct AnyEmit {
    void operator()(const Item& /*item*/) const {}
    template <class Make>
    void range(std::uint64_t /*first*/, std::uint64_t /*last*/, Make /*make*/) const {}
};

/// An algorithm has trivially copyable work items, each of a `vertex`, and
///   - bool receive(Item& item): the item changes what is known of its vertex, and is to be kept
///   - bool is_current(const Item&): nothing better was kept since
///   - void prefetch_begin(const Item&), prefetch_row(const Item&): bring nearer where its row begins, and
///     later the row
///   - void process(const Item&, emit): work on a kept item; emit(item) sends another to its owner, and
///     emit.range(first, last, make) each make(i)
///   - Key key(const Order&, const Item&): its class
///   - where there is `Work edge_work`: what an edge is charged as, if not as a relaxation
///   - where there is `bool is_news(const Item&)`: whether the owner of its vertex, another rank, has to have
///   it
/// None of them communicates. What `process` emits has no key below that of its own item.
///
/// Where there is a `view()`, valid until the next search begins, it has all but `key` and `is_news`. It also
/// knows the place of a vertex on its rank: receive(item, local), and where there is `bool has_work(local)`,
/// whether `process` would do anything; an item without is worked on when it is received, and waits for no
/// class. There is a type `Kept` then, and condense(item, local) makes one: what waits is that alone.
template <class Algorithm>
concept Processing =
    requires(Algorithm& algorithm, Algorithm::Item& item, const KeptOf<Algorithm>::Type& waiting,
             AnyEmit<typename Algorithm::Item>& emit, const Order& order) {
        { algorithm.receive(item) } -> std::convertible_to<bool>;
        { view_of(algorithm).is_current(waiting) } -> std::convertible_to<bool>;
        { algorithm.key(order, item) } -> std::convertible_to<Key>;
        { algorithm.key(order, waiting) } -> std::convertible_to<Key>;
        view_of(algorithm).prefetch_begin(waiting);
        view_of(algorithm).prefetch_row(waiting);
        view_of(algorithm).process(waiting, emit);
    };

/// How a rank treats work items.
struct Orders {
    Order global{OrderKind::chaotic};
    Order local{OrderKind::chaotic};
    Order node{OrderKind::chaotic}; ///< In place of the local one.
    /// Items for a vertex of the same rank are received where they are made; otherwise they are sent like all
    /// others.
    bool own_at_once = true;
};

template <Processing Algorithm>
class Machine {
  public:
    using Item = Algorithm::Item;
    using Kept = KeptOf<Algorithm>::Type;
    using View = decltype(view_of(std::declval<Algorithm&>()));

    /// Everything given must outlive this. Collective: ranks make their machines in the same order. Raises
    /// UsageError where the node has an order and its ranks share no memory.
    Machine(runtime::Runtime& runtime, const graph::Csr& graph, Algorithm& algorithm, const Orders& orders)
        : runtime_(runtime), graph_(graph), algorithm_(algorithm), orders_(orders),
          own_order_(orders.node.kind() == OrderKind::chaotic ? orders.local : orders.node),
          channel_(runtime), current_(own_order_.kind() != OrderKind::chaotic),
          first_at_once_(graph.vertex(0)),
          count_at_once_(orders.own_at_once ? static_cast<graph::Vertex>(graph.count()) : 0),
          runs_handlers_(runtime.parameters().execution == runtime::Execution::handler),
          all_own_(count_at_once_ == graph.owners.vertices()) {
        channel_.on_receipt([this](Item item) { rejected_ += receive(item) ? 0 : 1; });
        if (orders.node.kind() == OrderKind::chaotic) {
            return;
        }
        numbers_ = runtime.engine().numbers_of_node();
        if (numbers_.number == nullptr) {
            throw UsageError(
                "--node-order needs ranks that share memory: --transport ring; in virtual time not "
                "--idle wait, and looks for messages that take time");
        }
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    /// Work until no items are left on any rank. `initial` are items of this rank, received already.
    /// Collective.
    template <std::ranges::input_range Initial>
    void run(Initial&& initial) {
        classes_.clear();
        key_ = no_key;
        for (const Item item : initial) {
            classes_.push(algorithm_.key(orders_.global, item),
                          condense(view_of(algorithm_), item, graph_.owners.local(item.vertex)));
        }
        for (Key next = agree(); next != no_key; next = agree()) {
            begin_class(next);
        }
    }

  private:
    /// Items between the one that is worked on and the ones whose rows are on their way from memory: first
    /// where a row begins, then its first neighbours.
    static constexpr std::size_t row_ahead = 8;
    static constexpr std::size_t begin_ahead = 2 * row_ahead;

    void begin_class(Key key) {
        runtime_.charge(Work::item_class, 1);
        key_ = key;
        if (!current_.is_ordered()) {
            classes_.take(key, current_.queue());
            return;
        }
        classes_.take(key, taken_);
        classes_.end_taken();
        for (const Kept& item : taken_) {
            current_.push(algorithm_.key(own_order_, item), item);
        }
        taken_.clear();
    }

    /// Work on the current class until it is empty everywhere. Returns the least class that is left.
    Key agree() {
        const auto step = [this] { return work(); };
        const auto report = [this] { return runtime::Agreed{.sum = 0, .min = least()}; };
        const Key next = runtime_.epoch(step, report).min;
        runtime_.counters().rejected += std::exchange(rejected_, 0);
        return next;
    }

    Key least() {
        return classes_.least([this](const Kept& item) { return view_of(algorithm_).is_current(item); },
                              [this](const Kept&) { runtime_.counters().superseded++; });
    }

    bool work() {
        const Key most = most_of_node();
        // Items between two looks for messages, of which a rank alone has none.
        const std::size_t piece = all_own_ && runs_handlers_ ? 1024 : 64;
        std::size_t budget = piece;
        while (budget > 0 && has_current() && (most == no_key || current_.least() <= most)) {
            budget -= all_own_ ? work_on_first<true>(budget) : work_on_first<false>(budget);
        }
        // What is left waits for lesser items of other ranks.
        return budget < piece || has_current();
    }
    /// Without an order of the rank's own, what is kept for the current class waits beside the others.
    bool has_current() {
        if (current_.empty() && !current_.is_ordered() && key_ != no_key && classes_.has(key_)) {
            classes_.take(key_, current_.queue());
        }
        return !current_.empty();
    }
    /// Work on what comes first of the current class, at most so many. Returns how many there were.
    template <bool all_own>
    std::size_t work_on_first(std::size_t most) {
        auto&& view = view_of(algorithm_);
        const bool runs_handlers = runs_handlers_;
        Emit<all_own> emit(*this);
        const std::span<const Kept> first = current_.first();
        // What is known of the rest of the class is brought nearer.
        const std::size_t size = first.size();
        const Kept* const row_known = first.data() + (size > row_ahead ? size - row_ahead : 0);
        const Kept* const begin_known = first.data() + (size > begin_ahead ? size - begin_ahead : 0);
        const std::size_t count = std::min(most, first.size());
        const Kept* const end = first.data() + count;
        std::uint64_t superseded = 0;
        for (const Kept* next = first.data(); next != end; ++next) {
            if (next < row_known) {
                view.prefetch_row(next[row_ahead]);
                if (next < begin_known) {
                    view.prefetch_begin(next[begin_ahead]);
                }
            }
            const Kept item = *next;
            if (!view.is_current(item)) {
                ++superseded;
                continue;
            }
            if (runs_handlers) [[likely]] {
                view.process(item, emit);
                charge_reads(item);
                runtime_.charge(Work::handler, 1);
            } else {
                execute(*next);
            }
        }
        runtime_.counters().useful += count - superseded;
        runtime_.counters().superseded += superseded;
        current_.drop(count);
        return count;
    }
    /// The largest key that this rank may work on now: the least that its node has.
    [[nodiscard]] Key most_of_node() const {
        return numbers_.number == nullptr ? no_key : numbers_.least_with(current_.least());
    }

    /// Work on an item, in the runtime's execution model.
    [[gnu::noinline]] void execute(Kept item) {
        if (runtime_.parameters().execution == runtime::Execution::fibre) {
            runtime_.tasks().run_fibre([this, item] { process(item); });
            runtime_.engine().send_posted();
        } else {
            runtime_.tasks().run(coroutine(this, item));
        }
    }
    static runtime::Task coroutine(Machine* machine, Kept item) {
        machine->process(item);
        co_return;
    }

    [[gnu::noinline]] void process(const Kept& item) {
        Emit<false> emit(*this);
        view_of(algorithm_).process(item, emit);
        charge_reads(item);
    }
    /// Of a row, which was fetched ahead, and of what is known of its neighbours, here or by their owners.
    void charge_reads(const Kept& item) {
        const std::size_t local = place(item);
        runtime_.charge_reads(ReadOrder::independent, graph_.target_bytes(), graph_.lines(local));
        runtime_.charge_reads(ReadOrder::independent, sizeof(float) * graph_.count(),
                              static_cast<double>(graph_.degree(local)));
    }
    [[nodiscard]] std::size_t place(const Kept& item) const {
        if constexpr (requires { item.local; }) {
            return item.local;
        } else {
            return graph_.owners.local(item.vertex);
        }
    }
    /// What is left to do with an item.
    enum class Rest : int { nothing, keep, send };

    /// What an item that is worked on makes. Most changes nothing, and seeing that is all that the loop over
    /// neighbours has of this.
    template <bool all_own>
    class Emit {
      public:
        explicit Emit(Machine& machine)
            : machine_(machine), view_(view_of(machine.algorithm_)), order_(machine.orders_.global),
              first_(machine.first_at_once_), count_(machine.count_at_once_) {}
        /// For algorithms that take it by value: each counts what was rejected by itself.
        Emit(const Emit& second)
            : machine_(second.machine_), view_(second.view_), order_(second.order_), first_(second.first_),
              count_(second.count_) {}
        Emit& operator=(const Emit&) = delete;
        ~Emit() { machine_.rejected_ += rejected_; }

        [[gnu::always_inline]] void operator()(Item item) {
            ++rejected_;
            if (const Rest rest = try_at_once(item); rest != Rest::nothing) [[unlikely]] {
                --rejected_;
                machine_.finish(item, rest);
            }
        }
        /// The same with `make(i)` for each i from `first` to `last`. The inner loop calls no function, so
        /// that what it needs stays in registers.
        template <class Make>
        [[gnu::always_inline]] void range(std::uint64_t first, std::uint64_t last, Make make) {
            rejected_ += last - first;
            while (first < last) {
                Item item;
                Rest rest = Rest::nothing;
                do {
                    item = make(first);
                    rest = try_at_once(item);
                    ++first;
                } while (rest == Rest::nothing && first < last);
                if (rest != Rest::nothing) [[unlikely]] {
                    --rejected_;
                    machine_.finish(item, rest);
                }
            }
        }

      private:
        /// Returns what is left to do.
        [[gnu::always_inline]] Rest try_at_once(Item& item) {
            const graph::Vertex local = all_own ? item.vertex : item.vertex - first_;
            if (!all_own && local >= count_) {
                return machine_.is_news(item) ? Rest::send : Rest::nothing;
            }
            machine_.runtime_.charge(edge_work(), 1);
            if (!machine_.change(view_, item, local)) {
                return Rest::nothing;
            }
            if (machine_.has_work(view_, local)) {
                const Key key = machine_.algorithm_.key(order_, item);
                if (!machine_.classes_.push_at_once(key, condense(view_, item, local))) [[unlikely]] {
                    return Rest::keep;
                }
                machine_.runtime_.charge(Work::kept_item, 1);
            }
            --rejected_;
            return Rest::nothing;
        }

        Machine& machine_;
        View view_;
        const Order order_;
        const graph::Vertex first_;
        const graph::Vertex count_;
        std::uint64_t rejected_ = 0;
    };
    [[gnu::noinline]] void finish(Item item, Rest rest) {
        if (rest == Rest::keep) {
            keep(item, graph_.owners.local(item.vertex));
        } else {
            channel_.send(static_cast<int>(graph_.owners.owner(item.vertex)), item);
        }
    }

    /// Whether an item has to be sent to its owner.
    [[gnu::always_inline]] bool is_news(const Item& item) {
        if constexpr (requires { algorithm_.is_news(item); }) {
            return graph_.owns(item.vertex) || algorithm_.is_news(item);
        } else {
            return true;
        }
    }

    static consteval Work edge_work() {
        if constexpr (requires { Algorithm::edge_work; }) {
            return Algorithm::edge_work;
        } else {
            return Work::relaxation;
        }
    }

    /// Whether the item is kept.
    bool receive(Item& item) {
        auto&& view = view_of(algorithm_);
        const std::size_t local = graph_.owners.local(item.vertex);
        runtime_.charge(edge_work(), 1);
        if (!change(view, item, local)) {
            return false;
        }
        if (has_work(view, local)) {
            keep(item, local);
        }
        return true;
    }
    [[gnu::always_inline]] static bool change(const View& view, Item& item, std::size_t local) {
        if constexpr (requires { view.receive(item, local); }) {
            return view.receive(item, local);
        } else {
            return view.receive(item);
        }
    }
    [[gnu::always_inline]] bool has_work(const View& view, std::size_t local) {
        if constexpr (requires { view.has_work(local); }) {
            if (!view.has_work(local)) {
                ++runtime_.counters().useful;
                return false;
            }
        }
        return true;
    }
    [[gnu::always_inline]] static Kept condense(const View& view, const Item& item, std::size_t local) {
        if constexpr (requires { view.condense(item, local); }) {
            return view.condense(item, local);
        } else {
            return item;
        }
    }
    void keep(const Item& item, std::size_t local) {
        runtime_.charge(Work::kept_item, 1);
        const Key key = algorithm_.key(orders_.global, item);
        const Kept waiting = condense(view_of(algorithm_), item, local);
        if (key < classes_.base() && current_.is_ordered()) {
            current_.push(algorithm_.key(own_order_, item), waiting);
        } else {
            classes_.push(std::max(key, classes_.base()), waiting);
        }
    }

    runtime::Runtime& runtime_;
    const graph::Csr& graph_;
    Algorithm& algorithm_;
    const Orders orders_;
    const Order own_order_; ///< Of the current class on this rank.
    runtime::NodeNumbers numbers_;
    runtime::Channel<Item> channel_;
    Classes<Kept> classes_;
    Current<Kept> current_;
    std::vector<Kept> taken_;
    Key key_ = no_key;           ///< Of the current class; there is none at first.
    std::uint64_t rejected_ = 0; ///< In this epoch.
    /// The vertices whose items are received where they are made: this rank's own, or none.
    const graph::Vertex first_at_once_;
    const graph::Vertex count_at_once_;
    const bool runs_handlers_;
    const bool all_own_; ///< These are all that there are.
};

} // namespace goodsyard::agm
