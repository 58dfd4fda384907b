#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agm/components.hpp"
#include "agm/giant_component.hpp"
#include "agm/machine.hpp"
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
        const std::vector<Vertex>& labels = algorithm_.labels();
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
    Place place_;
    agm::Components algorithm_;
    Machine<agm::Components> machine_;
    std::optional<agm::GiantComponent> giant_; ///< Where it is looked for.
};

} // namespace

std::unique_ptr<Kernel> make_components(const Place& place, const Asked& request) {
    return std::make_unique<ComponentsKernel>(place, request);
}

} // namespace goodsyard::graph
