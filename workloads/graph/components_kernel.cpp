#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agm/components.hpp"
#include "agm/giant_component.hpp"
#include "agm/machine.hpp"
#include "agm/united_components.hpp"
#include "graph/kernels.hpp"
#include "graph/lookup.hpp"

namespace goodsyard::graph {

namespace {

using agm::Machine;
using agm::OrderKind;

class ComponentsKernel final : public Kernel {
  public:
    ComponentsKernel(const Place& place, const Asked& request)
        : place_(place), algorithm_(place.graph),
          machine_(place.runtime, place.graph, algorithm_,
                   orders_of(request, place.graph, OrderKind::dijkstra)) {
        if (request.optimises_direction) {
            giant_.emplace(place.team, place.graph, place.runtime);
        }
        if (request.method == Method::unite) {
            united_.emplace(place.team, place.graph, place.runtime);
        }
    }

    void run(Vertex /*root*/) override {
        if (united_) {
            united_->run();
            return;
        }
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
        const auto components = static_cast<double>(place_.team.all(Fold::sum, own_components()));
        return {{"label_checksum", "", checksum_of(place_.team, place_.graph, labels())},
                {"components", "", components}};
    }

    [[nodiscard]] Outcome outcome() const override { return outcome_of("label", labels()); }

    /// Neighbours have one label, and the vertex that it names has it too.
    std::optional<std::string> violation(Vertex /*root*/) override {
        const Csr& graph = place_.graph;
        const std::vector<Vertex>& labels = this->labels();
        std::vector<Vertex> target(graph.targets);
        for (const Vertex label : labels) {
            target.push_back(graph.owners.vertex(label));
        }
        const auto result =
            lookup(place_.team, graph.owners, target, [&](std::size_t local) { return labels[local]; });
        for (std::size_t local = 0; local < labels.size(); ++local) {
            bool is_same = result[graph.targets.size() + local] == labels[local];
            for (std::uint64_t i = graph.begin[local]; i < graph.begin[local + 1]; ++i) {
                is_same = is_same && result[i] == labels[local];
            }
            if (!is_same) {
                return "vertex " + std::to_string(graph.owners.number(graph.vertex(local))) +
                       " has another label than its neighbours, or than the vertex that this names";
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] const std::vector<Vertex>& labels() const {
        return united_ ? united_->labels() : algorithm_.labels();
    }
    /// Those that have their least vertex on this rank.
    [[nodiscard]] std::uint64_t own_components() const {
        const Csr& graph = place_.graph;
        std::uint64_t count = 0;
        for (std::size_t local = 0; local < graph.count(); ++local) {
            count += labels()[local] == graph.owners.number(graph.vertex(local)) ? 1 : 0;
        }
        return count;
    }

    Place place_;
    agm::Components algorithm_;
    Machine<agm::Components> machine_;
    std::optional<agm::GiantComponent> giant_;    ///< Where it is looked for.
    std::optional<agm::UnitedComponents> united_; ///< In place of the machine.
};

} // namespace

std::unique_ptr<Kernel> make_components(const Place& place, const Asked& request) {
    return std::make_unique<ComponentsKernel>(place, request);
}

} // namespace goodsyard::graph
