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
        for (std::size_t local = 0; local < labels.size(); ++local) {
            bool same = found[graph.targets.size() + local] == labels[local];
            for (std::uint64_t i = graph.begin[local]; i < graph.begin[local + 1]; ++i) {
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

} // namespace

std::unique_ptr<Kernel> make_components(const Place& place, const Asked& asked) {
    return std::make_unique<ComponentsKernel>(place, asked);
}

} // namespace goodsyard::graph
