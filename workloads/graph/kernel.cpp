#include "graph/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>
#include <utility>

#include "agm/betweenness.hpp"
#include "agm/bfs.hpp"
#include "agm/components.hpp"
#include "agm/cores.hpp"
#include "agm/direction_bfs.hpp"
#include "agm/direction_sssp.hpp"
#include "agm/giant_component.hpp"
#include "agm/pagerank.hpp"
#include "agm/sssp.hpp"
#include "agm/task_betweenness.hpp"
#include "agm/task_bfs.hpp"
#include "graph/lookup.hpp"
#include "graph/validation.hpp"
#include "harness/checksum.hpp"
#include "harness/random.hpp"

namespace workloads::graph {

namespace {

using agm::Machine;
using agm::Order;
using agm::OrderKind;
using agm::Orders;

OrderKind order_kind(const Asked& asked, OrderKind usual) {
    for (const auto& [name, kind] : agm::order_names) {
        if (name == asked.order) {
            return kind;
        }
    }
    return usual;
}

OrderKind local_order_kind(const Asked& asked) {
    Asked local = asked;
    local.order = asked.local_order;
    return order_kind(local, OrderKind::chaotic);
}

double delta_of(const Asked& asked, const Csr& graph) {
    if (asked.delta > 0) {
        return asked.delta;
    }
    constexpr double classes_of_an_edge = 128;
    const auto largest = static_cast<double>(graph.largest_weight);
    return largest > 0 && largest <= 1 ? largest / classes_of_an_edge : 1.0;
}

float light_of(const Asked& asked, const Csr& graph) {
    constexpr float of_largest = 32;
    return asked.light > 0 ? static_cast<float>(asked.light) : graph.largest_weight / of_largest;
}

Orders orders_of(const Asked& asked, const Csr& graph, OrderKind usual) {
    const double delta = asked.verb == Verb::sssp ? delta_of(asked, graph) : std::max(asked.delta, 1.0);
    const auto k = static_cast<std::uint32_t>(asked.k);
    const bool runs_handlers = asked.runtime.execution == runtime::Execution::handler;
    return {.global = Order(order_kind(asked, usual), delta, k),
            .local = Order(local_order_kind(asked), delta, k),
            .own_at_once = asked.own == Own::by_execution ? runs_handlers : asked.own == Own::at_once};
}

/// Of pairs (vertex, value), wherever they are; as much of it as a double holds.
template <class Value>
double checksum_of(const Team& team, const Csr& graph, const std::vector<Value>& values) {
    Checksum own;
    for (std::size_t local = 0; local < values.size(); local++) {
        own.add(mix64(graph.owners.number(graph.vertex(local))) ^ bits_of(values[local]));
    }
    constexpr unsigned lost = 11;
    return static_cast<double>(of_all(team, own).mixed >> lost);
}

/// One value of each vertex, which is there as long as the outcome.
template <class Value>
Outcome outcome_of(const std::string& name, const std::vector<Value>& values) {
    const CellKind kind = std::is_floating_point_v<Value> ? CellKind::f64 : CellKind::i64;
    return {{{name, kind}},
            [&values](std::size_t local, auto& cells) { cells.push_back(cell_of(values[local])); }};
}

double all_edges(const Team& team, const Csr& graph) {
    std::uint64_t ends = 0;
    for (const std::uint32_t own : graph.ends) {
        ends += own;
    }
    return static_cast<double>(team.all(Fold::sum, ends)) / 2;
}

/// What comes of a tree of shortest paths, whoever has found it.
template <class Algorithm>
class TreeKernel : public Kernel {
  public:
    double edges() override {
        std::uint64_t ends = 0;
        for (std::size_t local = 0; local < place_.graph.count(); local++) {
            ends += algorithm_.parents()[local] != no_vertex ? place_.graph.ends[local] : 0;
        }
        return static_cast<double>(place_.team.all(Fold::sum, ends)) / 2;
    }

    std::vector<Fact> facts() override {
        const std::vector<float>& distances = algorithm_.distances();
        std::uint64_t reached = 0;
        double farthest = 0;
        for (const float distance : distances) {
            reached += std::isfinite(distance) ? 1 : 0;
            farthest = std::isfinite(distance) ? std::max(farthest, static_cast<double>(distance)) : farthest;
        }
        const auto all_reached = static_cast<double>(place_.team.all(Fold::sum, reached));
        return {{"distance_checksum", "", checksum_of(place_.team, place_.graph, distances)},
                {"vertices_reached", "", all_reached},
                {"farthest", "", place_.team.all(Fold::max, farthest)}};
    }

    /// Without a path the distance is infinite and the parent -1; the root is its own parent.
    [[nodiscard]] Outcome outcome() const override {
        return {{{"distance", CellKind::f64}, {"parent", CellKind::i64}},
                [this](std::size_t local, auto& cells) {
                    const Vertex parent = algorithm_.parents()[local];
                    cells.push_back(cell_of(static_cast<double>(algorithm_.distances()[local])));
                    cells.push_back(parent == no_vertex ? cell_of(-1) : place_.graph.owners.number(parent));
                }};
    }

    std::optional<std::string> violation(Vertex root) override {
        return graph::violation(
            place_.team, place_.edges,
            {place_.graph.owners, root, has_unit_weights_, algorithm_.distances(), algorithm_.parents()});
    }

  protected:
    template <class... Given>
    explicit TreeKernel(const Place& place, bool has_unit_weights, Given&&... given)
        : place_(place), has_unit_weights_(has_unit_weights), algorithm_(std::forward<Given>(given)...) {}

    Place place_;
    bool has_unit_weights_;
    Algorithm algorithm_;
};

/// Sssp, Bfs.
template <class Algorithm>
class MachineTreeKernel final : public TreeKernel<Algorithm> {
  public:
    template <class... Given>
    MachineTreeKernel(const Place& place, const Orders& orders, bool has_unit_weights, const Given&... given)
        : TreeKernel<Algorithm>(place, has_unit_weights, place.graph, given...),
          machine_(place.runtime, place.graph, this->algorithm_, orders) {}

    void run(Vertex root) override { machine_.run(this->algorithm_.begin(root)); }

  private:
    Machine<Algorithm> machine_;
};

/// DirectionSssp, DirectionBfs, TaskBfs: they run by themselves.
template <class Algorithm>
class OwnTreeKernel final : public TreeKernel<Algorithm> {
  public:
    template <class... Given>
    OwnTreeKernel(const Place& place, bool has_unit_weights, const Given&... given)
        : TreeKernel<Algorithm>(place, has_unit_weights, place.team, place.graph, place.runtime, given...) {}

    void run(Vertex root) override { this->algorithm_.run(root); }
};

class ComponentsKernel final : public Kernel {
  public:
    ComponentsKernel(const Place& place, const Asked& asked)
        : place_(place), algorithm_(place.graph),
          machine_(place.runtime, place.graph, algorithm_,
                   orders_of(asked, place.graph, OrderKind::dijkstra)) {
        if (asked.optimises_direction) {
            giant_.emplace(place.team, place.graph, place.runtime);
        }
    }

    void run(Vertex /*root*/) override {
        if (!giant_) {
            machine_.run(algorithm_.begin());
            return;
        }
        giant_->find();
        machine_.run(
            algorithm_.begin([&](std::size_t local) { return giant_->has(local); }, giant_->label()));
    }
    double edges() override { return all_edges(place_.team, place_.graph); }
    std::vector<Fact> facts() override {
        const auto components = static_cast<double>(place_.team.all(Fold::sum, algorithm_.count()));
        return {{"label_checksum", "", checksum_of(place_.team, place_.graph, algorithm_.labels())},
                {"components", "", components}};
    }

    [[nodiscard]] Outcome outcome() const override { return outcome_of("label", algorithm_.labels()); }

    /// Neighbours have one label, and the vertex that it names has it too.
    std::optional<std::string> violation(Vertex /*root*/) override {
        const Csr& graph = place_.graph;
        const std::vector<std::uint32_t>& labels = algorithm_.labels();
        std::vector<Vertex> wanted(graph.targets);
        for (const std::uint32_t label : labels) {
            wanted.push_back(graph.owners.vertex(label));
        }
        const auto found =
            lookup(place_.team, graph.owners, wanted, [&](std::size_t local) { return labels[local]; });
        for (std::size_t local = 0; local < labels.size(); local++) {
            bool same = found[graph.targets.size() + local] == labels[local];
            for (std::uint64_t i = graph.begin[local]; i < graph.begin[local + 1]; i++) {
                same = same && found[i] == labels[local];
            }
            if (!same) {
                return "vertex " + std::to_string(graph.owners.number(graph.vertex(local))) +
                       " has another label than its neighbours, or than the vertex that this names";
            }
        }
        return std::nullopt;
    }

  private:
    Place place_;
    agm::Components algorithm_;
    Machine<agm::Components> machine_;
    std::optional<agm::GiantComponent> giant_; ///< Where it is looked for.
};

class CoresKernel final : public Kernel {
  public:
    CoresKernel(const Place& place, const Asked& asked)
        : place_(place), algorithm_(place.graph),
          machine_(place.runtime, place.graph, algorithm_,
                   orders_of(asked, place.graph, OrderKind::chaotic)) {}

    void run(Vertex /*root*/) override { machine_.run(algorithm_.begin()); }
    double edges() override { return all_edges(place_.team, place_.graph); }
    std::vector<Fact> facts() override {
        std::uint64_t largest = 0;
        for (const std::uint32_t core : algorithm_.cores()) {
            largest = std::max<std::uint64_t>(largest, core);
        }
        return {{"core_checksum", "", checksum_of(place_.team, place_.graph, algorithm_.cores())},
                {"largest_core", "", static_cast<double>(place_.team.all(Fold::max, largest))}};
    }

    [[nodiscard]] Outcome outcome() const override { return outcome_of("core", algorithm_.cores()); }

    /// A core is the largest k for which k neighbours have cores of at least k (Montresor, De Pellegrini,
    /// Miorandi 2013, DOI 10.1109/TPDS.2012.124, theorem 1).
    std::optional<std::string> violation(Vertex /*root*/) override {
        const Csr& graph = place_.graph;
        const std::vector<std::uint32_t>& cores = algorithm_.cores();
        std::vector<std::uint32_t> found =
            lookup(place_.team, graph.owners, graph.targets, [&](std::size_t local) { return cores[local]; });
        for (std::size_t local = 0; local < cores.size(); local++) {
            const auto first = found.begin() + static_cast<std::ptrdiff_t>(graph.begin[local]);
            const auto last = found.begin() + static_cast<std::ptrdiff_t>(graph.begin[local + 1]);
            std::sort(first, last, std::greater<>());
            std::uint32_t largest = 0;
            for (auto at = first; at != last && *at > largest; ++at) {
                largest++;
            }
            if (largest != cores[local]) {
                return "vertex " + std::to_string(graph.owners.number(graph.vertex(local))) + " has core " +
                       std::to_string(cores[local]) + ", its neighbours make it " + std::to_string(largest);
            }
        }
        return std::nullopt;
    }

  private:
    Place place_;
    agm::Cores algorithm_;
    Machine<agm::Cores> machine_;
};

class PageRankKernel final : public Kernel {
  public:
    PageRankKernel(const Place& place, const Asked& asked)
        : place_(place), tolerance_(asked.tolerance), most_iterations_(asked.iterations),
          orders_(orders_of(asked, place.graph, OrderKind::chaotic)),
          algorithm_(place.team, place.graph, place.runtime, orders_.own_at_once),
          machine_(place.runtime, place.graph, algorithm_, orders_) {}

    void run(Vertex /*root*/) override {
        algorithm_.begin();
        iterations_ = 0;
        do {
            machine_.run(algorithm_.items());
            change_ = algorithm_.end_iteration();
            iterations_++;
        } while (change_ >= tolerance_ && iterations_ < most_iterations_);
    }
    double edges() override { return iterations_ * all_edges(place_.team, place_.graph); }
    std::vector<Fact> facts() override {
        std::vector<Fact> facts = {{"iterations", "", static_cast<double>(iterations_)},
                                   {"last_change", "", change_},
                                   {"rank_sum", "", sum_of_ranks([](std::uint64_t) { return 1.0; })},
                                   {"rank_checksum", "", sum_of_ranks(weight_of)}};
        if (residual_) {
            facts.push_back({"residual", "", *residual_});
        }
        return facts;
    }
    [[nodiscard]] Outcome outcome() const override { return outcome_of("rank", algorithm_.ranks()); }

    /// Ranks add up to 1, and a further iteration, in double precision, changes them by at most what is left
    /// of the last change, of which each iteration leaves at most the damping.
    std::optional<std::string> violation(Vertex /*root*/) override {
        constexpr double rounding = 1e-5; // Shares are of single precision.
        const double sum = sum_of_ranks([](std::uint64_t) { return 1.0; });
        if (std::abs(sum - 1) > rounding) {
            return "ranks add up to " + std::to_string(sum);
        }
        residual_ = residual();
        if (*residual_ > agm::PageRank::damping * change_ + rounding) {
            return "a further iteration changes ranks by " + std::to_string(*residual_) +
                   ", the last one by " + std::to_string(change_);
        }
        return change_ < tolerance_ ? std::nullopt
                                    : std::optional("not converged after " + std::to_string(iterations_) +
                                                    " iterations; --iterations");
    }

  private:
    /// Of a vertex in the checksum: uniform in [0, 1), by its number.
    static double weight_of(std::uint64_t number) { return Random(0).unit(number); }

    /// The sum of ranks, each times the weight of its vertex's number. Collective.
    template <class Weight>
    double sum_of_ranks(Weight weight) {
        double own = 0;
        for (std::size_t local = 0; local < algorithm_.ranks().size(); local++) {
            own += algorithm_.ranks()[local] * weight(place_.graph.owners.number(place_.graph.vertex(local)));
        }
        return place_.team.all(Fold::sum, own);
    }

    /// Σ |F(ranks) - ranks|, where F is an iteration. Collective.
    double residual() {
        const Csr& graph = place_.graph;
        const std::vector<double>& ranks = algorithm_.ranks();
        const auto n = static_cast<double>(graph.owners.vertices());
        const std::vector<double> shares =
            lookup(place_.team, graph.owners, graph.targets, [&](std::size_t local) {
                return ranks[local] / static_cast<double>(graph.degree(local));
            });
        double alone = 0;
        for (std::size_t local = 0; local < ranks.size(); local++) {
            alone += graph.degree(local) == 0 ? ranks[local] : 0;
        }
        alone = place_.team.all(Fold::sum, alone);
        constexpr double damping = agm::PageRank::damping;
        double change = 0;
        for (std::size_t local = 0; local < ranks.size(); local++) {
            double sum = alone / n;
            for (std::uint64_t i = graph.begin[local]; i < graph.begin[local + 1]; i++) {
                sum += shares[i];
            }
            change += std::abs((1 - damping) / n + damping * sum - ranks[local]);
        }
        return place_.team.all(Fold::sum, change);
    }

    Place place_;
    double tolerance_;
    int most_iterations_;
    Orders orders_;
    agm::PageRank algorithm_;
    Machine<agm::PageRank> machine_;
    int iterations_ = 0;
    double change_ = 0;
    std::optional<double> residual_; ///< Where results are validated.
};

/// PathCounts and Dependencies, one after the other.
class MachineBetweenness {
  public:
    MachineBetweenness(const Place& place, const Asked& asked)
        : team_(place.team), counts_(place.graph), dependencies_(place.graph, counts_),
          outwards_(place.runtime, place.graph, counts_, orders_of(asked, place.graph, OrderKind::level)),
          back_(place.runtime, place.graph, dependencies_, orders_of(asked, place.graph, OrderKind::level)) {}

    void run(Vertex root) {
        outwards_.run(counts_.begin(root));
        back_.run(dependencies_.begin(team_.all(Fold::max, counts_.deepest())));
    }
    [[nodiscard]] const std::vector<std::uint32_t>& levels() const { return counts_.levels(); }
    [[nodiscard]] const std::vector<double>& of_last_source() const { return dependencies_.of_last_source(); }
    [[nodiscard]] const std::vector<double>& scores() const { return dependencies_.scores(); }

  private:
    const Team& team_;
    agm::PathCounts counts_;
    agm::Dependencies dependencies_;
    Machine<agm::PathCounts> outwards_;
    Machine<agm::Dependencies> back_;
};

/// MachineBetweenness, TaskBetweenness.
template <class Algorithm>
class BetweennessKernel final : public Kernel {
  public:
    template <class... Given>
    explicit BetweennessKernel(const Place& place, Given&&... given)
        : place_(place), algorithm_(std::forward<Given>(given)...) {}

    void run(Vertex root) override { algorithm_.run(root); }
    double edges() override {
        std::uint64_t ends = 0;
        for (std::size_t local = 0; local < place_.graph.count(); local++) {
            ends += algorithm_.levels()[local] != agm::PathCounts::unreached ? place_.graph.ends[local] : 0;
        }
        return static_cast<double>(place_.team.all(Fold::sum, ends)) / 2;
    }
    std::vector<Fact> facts() override {
        double largest = 0;
        double sum = 0;
        for (const double score : algorithm_.scores()) {
            largest = std::max(largest, score);
            sum += score;
        }
        return {{"score_sum", "", place_.team.all(Fold::sum, sum)},
                {"largest_score", "", place_.team.all(Fold::max, largest)}};
    }

    [[nodiscard]] Outcome outcome() const override { return outcome_of("score", algorithm_.scores()); }

    /// A shortest path of d edges leads over d - 1 vertices: what the source's dependencies add up to.
    std::optional<std::string> violation(Vertex /*root*/) override {
        double between = 0;
        double dependencies = 0;
        for (std::size_t local = 0; local < place_.graph.count(); local++) {
            const std::uint32_t level = algorithm_.levels()[local];
            if (level != agm::PathCounts::unreached && level > 0) {
                between += level - 1.0;
                dependencies += algorithm_.of_last_source()[local];
            }
        }
        between = place_.team.all(Fold::sum, between);
        dependencies = place_.team.all(Fold::sum, dependencies);
        constexpr double rounding = 1e-6;
        if (std::abs(dependencies - between) > rounding * std::max(between, 1.0)) {
            return "dependencies add up to " + std::to_string(dependencies) + ", not to " +
                   std::to_string(between);
        }
        return std::nullopt;
    }

  private:
    Place place_;
    Algorithm algorithm_;
};

} // namespace

RowOrder row_order(const Asked& asked) {
    return asked.verb == Verb::sssp && asked.optimises_direction ? RowOrder::by_weight
                                                                 : RowOrder::by_neighbour;
}

std::unique_ptr<Kernel> make_kernel(const Place& place, const Asked& asked) {
    switch (asked.verb) {
    case Verb::sssp: {
        const Orders orders = orders_of(asked, place.graph, OrderKind::delta);
        if (asked.optimises_direction) {
            const float light = light_of(asked, place.graph);
            return std::make_unique<OwnTreeKernel<agm::DirectionSssp>>(place, false, orders, light);
        }
        return std::make_unique<MachineTreeKernel<agm::Sssp>>(
            place, orders, false, asked.filters && agm::RemoteDistances::fit(place.team, place.graph));
    }
    case Verb::bfs: {
        if (asked.optimises_direction) {
            return std::make_unique<OwnTreeKernel<agm::DirectionBfs>>(place, true);
        }
        if (asked.blocks) {
            return std::make_unique<OwnTreeKernel<agm::TaskBfs>>(place, true);
        }
        const Orders orders = orders_of(asked, place.graph, OrderKind::level);
        const bool by_level = orders.global.kind() == OrderKind::level;
        return std::make_unique<MachineTreeKernel<agm::Bfs>>(place, orders, true, by_level);
    }
    case Verb::cc:
        return std::make_unique<ComponentsKernel>(place, asked);
    case Verb::kcore:
        return std::make_unique<CoresKernel>(place, asked);
    case Verb::pagerank:
        return std::make_unique<PageRankKernel>(place, asked);
    case Verb::bc:
        if (asked.blocks) {
            return std::make_unique<BetweennessKernel<agm::TaskBetweenness>>(place, place.team, place.graph,
                                                                             place.runtime);
        }
        return std::make_unique<BetweennessKernel<MachineBetweenness>>(place, place, asked);
    case Verb::generate:
        break;
    }
    return nullptr;
}

} // namespace workloads::graph
