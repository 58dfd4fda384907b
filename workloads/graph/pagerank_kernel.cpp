#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agm/machine.hpp"
#include "agm/pagerank.hpp"
#include "agm/pulled_pagerank.hpp"
#include "graph/exchange_in_parts.hpp"
#include "graph/kernels.hpp"
#include "graph/lookup.hpp"
#include "harness/random.hpp"

namespace goodsyard::graph {

namespace {

using agm::Machine;
using agm::OrderKind;
using agm::Orders;

/// What an iteration is made of.
class Iterations {
  public:
    Iterations() = default;
    Iterations(const Iterations&) = delete;
    Iterations& operator=(const Iterations&) = delete;
    virtual ~Iterations() = default;

    virtual void begin() = 0;
    /// Returns the sum of changes over all vertices. Collective.
    virtual double iterate() = 0;
    [[nodiscard]] virtual const std::vector<double>& ranks() const = 0;
};

/// A work item an edge.
class ByItems final : public Iterations {
  public:
    ByItems(const Place& place, const Asked& request)
        : orders_(orders_of(request, place.graph, OrderKind::chaotic)),
          algorithm_(place.team, place.graph, place.runtime, orders_.own_at_once && !request.is_directed),
          machine_(place.runtime, place.graph, algorithm_, orders_) {}

    void begin() override { algorithm_.begin(); }
    double iterate() override {
        machine_.run(algorithm_.items());
        return algorithm_.end_iteration();
    }
    [[nodiscard]] const std::vector<double>& ranks() const override { return algorithm_.ranks(); }

  private:
    Orders orders_;
    agm::PageRank algorithm_;
    Machine<agm::PageRank> machine_;
};

/// Copies of what remote neighbours give.
class ByCopies final : public Iterations {
  public:
    explicit ByCopies(const Place& place) : algorithm_(place.team, place.graph, place.runtime) {}

    void begin() override { algorithm_.begin(); }
    double iterate() override { return algorithm_.iterate(); }
    [[nodiscard]] const std::vector<double>& ranks() const override { return algorithm_.ranks(); }

  private:
    agm::PulledPageRank algorithm_;
};

std::unique_ptr<Iterations> make_iterations(const Place& place, const Asked& request) {
    if (pulls(request)) {
        return std::make_unique<ByCopies>(place);
    }
    return std::make_unique<ByItems>(place, request);
}

class PageRankKernel final : public Kernel {
  public:
    PageRankKernel(const Place& place, const Asked& request)
        : place_(place), tolerance_(request.tolerance), most_iterations_(request.iterations),
          is_directed_(request.is_directed), method_(make_iterations(place, request)) {}

    void run(Vertex /*root*/) override {
        method_->begin();
        iterations_ = 0;
        do {
            change_ = method_->iterate();
            ++iterations_;
        } while (change_ >= tolerance_ && iterations_ < most_iterations_);
    }
    double edges() override {
        constexpr double ends = 2; // Of a directed edge one is counted, and half of them are edges.
        return iterations_ * (is_directed_ ? ends : 1) * all_edges(place_.team, place_.graph);
    }
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
    [[nodiscard]] Outcome outcome() const override { return outcome_of("rank", method_->ranks()); }

    /// A further iteration, in double precision, changes ranks by at most what is left of the last change, of
    /// which each iteration leaves at most the damping. All that follow together are what their sum may lack
    /// of 1.
    std::optional<std::string> violation(Vertex /*root*/) override {
        constexpr double rounding = 1e-5; // Shares are of single precision.
        constexpr double damping = agm::PageRank::damping;
        const double sum = sum_of_ranks([](std::uint64_t) { return 1.0; });
        if (std::abs(sum - 1) > damping / (1 - damping) * change_ + rounding) {
            return "ranks add up to " + std::to_string(sum);
        }
        residual_ = residual();
        if (*residual_ > damping * change_ + rounding) {
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
        for (std::size_t local = 0; local < method_->ranks().size(); ++local) {
            own += method_->ranks()[local] * weight(place_.graph.owners.number(place_.graph.vertex(local)));
        }
        return place_.team.all(Fold::sum, own);
    }

    [[nodiscard]] double share(std::size_t local) const {
        return method_->ranks()[local] / static_cast<double>(place_.graph.degree(local));
    }

    /// What the neighbours of each vertex of this rank give it, in double precision. Collective.
    [[nodiscard]] std::vector<double> sums_of_neighbours() const {
        const Csr& graph = place_.graph;
        const std::vector<double> shares =
            lookup(place_.team, graph.owners, graph.targets, [&](std::size_t local) { return share(local); });
        std::vector<double> sums(graph.count());
        for (std::size_t local = 0; local < graph.count(); ++local) {
            for (std::uint64_t i = graph.begin[local]; i < graph.begin[local + 1]; ++i) {
                sums[local] += shares[i];
            }
        }
        return sums;
    }

    /// The same of those whose arcs lead to it. Collective.
    [[nodiscard]] std::vector<double> sums_along_arcs() const {
        struct Gift {
            Vertex vertex;
            double share;
        };
        constexpr std::size_t together = std::size_t{1} << 18U; // And a row more.
        const Csr& graph = place_.graph;
        std::vector<double> sums(graph.count());
        std::size_t local = 0;
        exchange_in_parts<Gift>(
            place_.team,
            [&](std::vector<std::vector<Gift>>& gifts) {
                for (std::size_t count = 0; local < graph.count() && count < together; ++local) {
                    for (const Vertex vertex : graph.neighbours(local)) {
                        gifts[graph.owners.owner(vertex)].push_back({vertex, share(local)});
                    }
                    count += graph.degree(local);
                }
                return local < graph.count();
            },
            [&](const Gift& gift) { sums[graph.owners.local(gift.vertex)] += gift.share; });
        return sums;
    }

    /// Σ |F(ranks) - ranks|, where F is an iteration. Collective.
    double residual() {
        const Csr& graph = place_.graph;
        const std::vector<double>& ranks = method_->ranks();
        const auto n = static_cast<double>(graph.owners.vertices());
        const std::vector<double> sums = is_directed_ ? sums_along_arcs() : sums_of_neighbours();
        double alone = 0;
        for (std::size_t local = 0; local < ranks.size(); ++local) {
            alone += graph.degree(local) == 0 ? ranks[local] : 0;
        }
        alone = place_.team.all(Fold::sum, alone);
        constexpr double damping = agm::PageRank::damping;
        double change = 0;
        for (std::size_t local = 0; local < ranks.size(); ++local) {
            const double sum = alone / n + sums[local];
            change += std::abs((1 - damping) / n + damping * sum - ranks[local]);
        }
        return place_.team.all(Fold::sum, change);
    }

    Place place_;
    double tolerance_;
    int most_iterations_;
    bool is_directed_;
    std::unique_ptr<Iterations> method_;
    int iterations_ = 0;
    double change_ = 0;
    std::optional<double> residual_; ///< Where results are validated.
};

} // namespace

std::unique_ptr<Kernel> make_pagerank(const Place& place, const Asked& request) {
    return std::make_unique<PageRankKernel>(place, request);
}

} // namespace goodsyard::graph
