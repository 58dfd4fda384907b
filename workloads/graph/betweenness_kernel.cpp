#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agm/betweenness.hpp"
#include "agm/machine.hpp"
#include "agm/task_betweenness.hpp"
#include "graph/kernels.hpp"

namespace goodsyard::graph {

namespace {

using agm::Machine;
using agm::OrderKind;

/// PathCounts and Dependencies, one after the other.
class MachineBetweenness {
  public:
    MachineBetweenness(const Place& place, const Asked& request)
        : team_(place.team), counts_(place.graph), dependencies_(place.graph, counts_),
          outwards_(place.runtime, place.graph, counts_, orders_of(request, place.graph, OrderKind::level)),
          back_(place.runtime, place.graph, dependencies_,
                orders_of(request, place.graph, OrderKind::level)) {}

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
    template <class... Arguments>
    explicit BetweennessKernel(const Place& place, Arguments&&... arguments)
        : place_(place), algorithm_(std::forward<Arguments>(arguments)...) {}

    void run(Vertex root) override { algorithm_.run(root); }
    double edges() override {
        std::uint64_t ends = 0;
        for (std::size_t local = 0; local < place_.graph.count(); ++local) {
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
        for (std::size_t local = 0; local < place_.graph.count(); ++local) {
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

std::unique_ptr<Kernel> make_betweenness(const Place& place, const Asked& request) {
    if (request.blocks) {
        return std::make_unique<BetweennessKernel<agm::TaskBetweenness>>(place, place.team, place.graph,
                                                                         place.runtime);
    }
    return std::make_unique<BetweennessKernel<MachineBetweenness>>(place, place, request);
}

} // namespace goodsyard::graph
