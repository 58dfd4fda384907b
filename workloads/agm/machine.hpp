// The Abstract Graph Machine: work items in classes, the least class first, on all ranks together.
//
// T. A. Kanewala, M. Zalewski, A. Lumsdaine: Families of graph algorithms: SSSP case study, Euro-Par 2017,
// DOI 10.1007/978-3-319-64203-1_31. An epoch of the runtime works on one class; what ends it finds the next
// one on the way. Items of a class that are on one rank are in an order of the rank's own below the global
// one, or of its node's: then no rank works on an item while another of its node has a lesser one (the
// extended machine, whose orders are by levels of a machine).
#pragma once

#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

#include "agm/classes.hpp"
#include "agm/current.hpp"
#include "agm/order.hpp"
#include "graph/csr.hpp"
#include "harness/failure.hpp"
#include "runtime/channel.hpp"

namespace goodsyard::agm {

/// An algorithm has trivially copyable work items, each of a `vertex`, and
///   - bool receive(Item& item): the item changes what is known of its vertex, and is to be kept
///   - bool is_current(const Item&): nothing better was kept since
///   - void prefetch_begin(const Item&), prefetch_row(const Item&): bring nearer where its row begins, and
///     later the row
///   - void process(const Item&, emit): work on a kept item; emit(item) sends another to its owner
///   - Key key(const Order&, const Item&): its class
///   - where there is `bool has_work(const Item&)`: whether `process` would do anything; an item without is
///     worked on when it is received, and waits for no class
///   - where there is `Work edge_work`: what an edge is charged as, if not as a relaxation
///   - where there is `bool is_news(const Item&)`: whether the owner of its vertex, another rank, has to have
///   it
/// None of them communicates. What `process` emits has no key below that of its own item.
template <class Algorithm>
concept Processing = requires(Algorithm& algorithm, Algorithm::Item& item, const Order& order) {
    { algorithm.receive(item) } -> std::convertible_to<bool>;
    { algorithm.is_current(item) } -> std::convertible_to<bool>;
    { algorithm.key(order, item) } -> std::convertible_to<Key>;
    algorithm.prefetch_begin(item);
    algorithm.prefetch_row(item);
    algorithm.process(item, [](const Algorithm::Item&) {});
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

    /// Everything given must outlive this. Collective: ranks make their machines in the same order. Raises
    /// UsageError where the node has an order and its ranks share no memory.
    Machine(runtime::Runtime& runtime, const graph::Csr& graph, Algorithm& algorithm, const Orders& orders)
        : runtime_(runtime), graph_(graph), algorithm_(algorithm), orders_(orders),
          own_order_(orders.node.kind() == OrderKind::chaotic ? orders.local : orders.node),
          channel_(runtime), current_(own_order_.kind() != OrderKind::chaotic),
          received_at_once_(orders.own_at_once ? graph.rank : graph.owners.ranks()) {
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
        key_ = 0;
        has_class_ = false;
        for (const Item item : initial) {
            classes_.push(algorithm_.key(orders_.global, item), item);
        }
        for (Key next = agree(); next != no_key; next = agree()) {
            begin_class(next);
        }
    }

  private:
    /// Items between two looks for messages.
    static constexpr int piece = 64;
    /// Items between the one that is worked on and the ones whose rows are on their way from memory: first
    /// where a row begins, then its first neighbours.
    static constexpr std::size_t row_ahead = 8;
    static constexpr std::size_t begin_ahead = 2 * row_ahead;

    void begin_class(Key key) {
        runtime_.charge(Work::item_class, 1);
        key_ = key;
        has_class_ = true;
        if (!current_.is_ordered()) {
            classes_.take(key, current_.queue());
            return;
        }
        classes_.take(key, taken_);
        for (const Item& item : taken_) {
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
        return classes_.least([this](const Item& item) { return algorithm_.is_current(item); },
                              [this](const Item&) { runtime_.counters().superseded++; });
    }

    bool work() {
        const Key most = most_of_node();
        int done = 0;
        const auto may_go_on = [&] { return most == no_key || current_.least() <= most; };
        for (; done < piece && !current_.empty() && may_go_on(); ++done) {
            const Item item = current_.pop();
            bring_rows();
            if (algorithm_.is_current(item)) {
                ++runtime_.counters().useful;
                execute(item);
            } else {
                ++runtime_.counters().superseded;
            }
        }
        // What is left waits for lesser items of other ranks.
        return done > 0 || !current_.empty();
    }
    /// The largest key that this rank may work on now: the least that its node has.
    [[nodiscard]] Key most_of_node() const {
        return numbers_.number == nullptr ? no_key : numbers_.least_with(current_.least());
    }

    void bring_rows() const {
        if (const Item* later = current_.ahead(begin_ahead)) {
            algorithm_.prefetch_begin(*later);
        }
        if (const Item* soon = current_.ahead(row_ahead)) {
            algorithm_.prefetch_row(*soon);
        }
    }

    /// Work on an item, in the runtime's execution model.
    void execute(const Item& item) {
        switch (runtime_.parameters().execution) {
        case runtime::Execution::fibre:
            runtime_.tasks().run_fibre([this, item] { process(item); });
            runtime_.engine().send_posted();
            return;
        case runtime::Execution::coroutine:
            runtime_.tasks().run(coroutine(this, item));
            return;
        case runtime::Execution::handler:
        case runtime::Execution::of_preset:
            process(item);
            runtime_.charge(Work::handler, 1);
            return;
        }
    }
    static runtime::Task coroutine(Machine* machine, Item item) {
        machine->process(item);
        co_return;
    }

    /// Most items change nothing, and seeing that is all that the loop over neighbours has of this: what it
    /// needs is in registers.
    void process(const Item& item) {
        const graph::Owners owners = graph_.owners;
        const std::size_t at_once = received_at_once_;
        std::uint64_t rejected = 0;
        algorithm_.process(item, [&](Item emitted) {
            const std::size_t owner = owners.owner(emitted.vertex);
            if (owner == at_once) {
                rejected += receive(emitted) ? 0 : 1;
            } else if (!is_news(owner, emitted)) {
                ++rejected;
            } else {
                const Item sent = emitted; // Only what leaves the loop has to be in memory.
                channel_.send(static_cast<int>(owner), sent);
            }
        });
        rejected_ += rejected;
        charge_reads(graph_.owners.local(item.vertex));
    }
    /// Of a row, which was fetched ahead, and of what is known of its neighbours, here or by their owners.
    void charge_reads(std::size_t local) {
        runtime_.charge_reads(ReadOrder::independent, graph_.target_bytes(), graph_.lines(local));
        runtime_.charge_reads(ReadOrder::independent, sizeof(float) * graph_.count(),
                              static_cast<double>(graph_.degree(local)));
    }

    /// Whether an item has to be sent to its owner.
    bool is_news(std::size_t owner, const Item& item) {
        if constexpr (requires { algorithm_.is_news(item); }) {
            return owner == graph_.rank || algorithm_.is_news(item);
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
    [[gnu::always_inline]] bool receive(Item& item) {
        runtime_.charge(edge_work(), 1);
        if (!algorithm_.receive(item)) {
            return false;
        }
        if constexpr (requires { algorithm_.has_work(item); }) {
            if (!algorithm_.has_work(item)) {
                ++runtime_.counters().useful;
                return true;
            }
        }
        const Item stored = item;
        keep(stored);
        return true;
    }
    [[gnu::noinline]] void keep(const Item& item) {
        runtime_.charge(Work::kept_item, 1);
        const Key key = algorithm_.key(orders_.global, item);
        if (has_class_ && key <= key_) {
            current_.push(current_.is_ordered() ? algorithm_.key(own_order_, item) : 0, item);
        } else {
            classes_.push(key, item);
        }
    }

    runtime::Runtime& runtime_;
    const graph::Csr& graph_;
    Algorithm& algorithm_;
    const Orders orders_;
    const Order own_order_; ///< Of the current class on this rank.
    runtime::NodeNumbers numbers_;
    runtime::Channel<Item> channel_;
    Classes<Item> classes_;
    Current<Item> current_;
    std::vector<Item> taken_;
    Key key_ = 0;
    bool has_class_ = false;
    std::uint64_t rejected_ = 0; ///< In this epoch.
    /// The rank whose items are received where they are made: this one, or none.
    const std::size_t received_at_once_;
};

} // namespace goodsyard::agm
