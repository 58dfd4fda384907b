#include "uts/global_tree.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/stealable.hpp"

namespace goodsyard::uts {

namespace {

/// Vertices that are sent to their places between looks for messages.
constexpr std::size_t piece = 1024;

/// A node by the rank that has made it, in the upper bits, and its number there.
using Made = std::uint64_t;
constexpr int bits_of_number = 40;

/// The numbers 0 … size - 1 in another order, which scatters neighbours.
class Scattered {
  public:
    explicit Scattered(std::uint64_t size) : size_(size) {
        constexpr double golden = 0.6180339887498949;
        step_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(golden * static_cast<double>(size)));
        while (std::gcd(step_, size_) != 1) {
            ++step_;
        }
    }
    [[nodiscard]] std::uint64_t operator()(std::uint64_t number) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>(Wide{number} * step_ % size_);
    }

  private:
    std::uint64_t size_;
    std::uint64_t step_;
};

/// Visits a tree, and writes down what each node has.
class Builder {
  public:
    struct Entry {
        Made node;
        std::uint64_t first; ///< Child, by its number on this rank; the others follow.
        std::uint64_t children;
    };

    Builder(runtime::Runtime& runtime, Tree& tree, std::uint64_t seed, std::uint64_t most_nodes)
        : runtime_(runtime), tree_(tree), unvisited_(runtime, runtime::all_ranks(runtime), seed),
          most_nodes_(most_nodes) {
        unvisited_.on_turn([this](const Item& item) { visit(item); },
                           runtime::always<runtime::Execution::handler>);
    }

    void run() {
        if (runtime_.rank() == 0) {
            unvisited_.add({tree_.root(), 0});
            made_ = 1;
        }
        const auto step = [&] {
            if (made_ > most_nodes_) {
                throw std::runtime_error("the tree does not fit in memory: this rank has made more than " +
                                         std::to_string(most_nodes_) + " nodes");
            }
            return unvisited_.step();
        };
        runtime_.epoch(step, [] { return runtime::Agreed{}; });
    }

    [[nodiscard]] const std::deque<Entry>& entries() const { return entries_; }
    /// Nodes that this rank has made.
    [[nodiscard]] std::uint64_t made() const { return made_; }
    [[nodiscard]] Counted counted(const Team& team) const {
        const auto nodes = static_cast<std::uint64_t>(entries_.size());
        return {team.all(Fold::sum, nodes), team.all(Fold::sum, leaves_), team.all(Fold::max, depth_)};
    }

  private:
    struct Item {
        Node node;
        Made made;
    };
    static constexpr std::uint32_t at_once = 16;

    void visit(const Item& item) {
        const std::uint32_t children = tree_.children(item.node);
        entries_.push_back({item.made, made_, children});
        leaves_ += children == 0 ? 1 : 0;
        depth_ = std::max<std::uint64_t>(depth_, item.node.depth);
        std::array<Digest, at_once> states;
        for (std::uint32_t first = 0; first < children; first += at_once) {
            const std::span some(states.data(), std::min(at_once, children - first));
            tree_.spawn(item.node, first, some);
            for (const Digest& state : some) {
                const Made created = static_cast<Made>(runtime_.rank()) << bits_of_number | made_++;
                unvisited_.add({{state, item.node.depth + 1}, created});
            }
        }
    }

    runtime::Runtime& runtime_;
    Tree& tree_;
    runtime::Stealable<Item> unvisited_;
    std::uint64_t most_nodes_;
    std::deque<Entry> entries_; ///< Never copied to grow.
    std::uint64_t made_ = 0;
    std::uint64_t leaves_ = 0;
    std::uint64_t depth_ = 0;
};

} // namespace

std::unique_ptr<GlobalTree> build(const Team& team, global::Delegates& delegates, Tree& tree,
                                  std::uint64_t seed, std::uint64_t most_nodes) {
    runtime::Runtime& runtime = delegates.runtime();
    Builder builder(runtime, tree, seed, most_nodes);
    builder.run();
    std::vector<std::uint64_t> before = team.of_each(builder.made()); // Nodes of the ranks before each.
    std::exclusive_scan(before.begin(), before.end(), before.begin(), std::uint64_t{0});
    auto built = std::make_unique<GlobalTree>(team, builder.counted(team));
    const Scattered place_of(built->counted.nodes);
    // Siblings were made one after the other: a list has their numbers, and lies where these say.
    for (std::uint64_t i = 0; i < built->children.own().size(); ++i) {
        built->children.own()[i] = place_of(built->children.index(i));
    }
    const auto number_of = [&](Made created) {
        return before[created >> bits_of_number] + (created & ((Made{1} << bits_of_number) - 1));
    };
    const std::uint64_t own_first = before[static_cast<std::size_t>(team.rank())];
    runtime.epoch_over(builder.entries().size(), piece, [&](std::size_t i) {
        const Builder::Entry& entry = builder.entries()[i];
        const Vertex vertex = {entry.children, own_first + entry.first};
        delegates.post(built->vertices[place_of(number_of(entry.node))],
                       [vertex](Vertex& place) { place = vertex; });
    });
    return built;
}

} // namespace goodsyard::uts
