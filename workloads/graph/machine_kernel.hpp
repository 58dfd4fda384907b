// What kernels of one algorithm on the Abstract Graph Machine have in common, where no order is asked for.
#pragma once

#include <string>
#include <vector>

#include "agm/machine.hpp"
#include "graph/kernels.hpp"
#include "graph/lookup.hpp"

namespace goodsyard::graph {

template <class Algorithm>
class MachineKernel : public Kernel {
  public:
    MachineKernel(const Place& place, const Asked& request)
        : place_(place), algorithm_(place.graph),
          machine_(place.runtime, place.graph, algorithm_,
                   orders_of(request, place.graph, agm::OrderKind::chaotic)) {}

    void run(Vertex /*root*/) override {
        if constexpr (requires { algorithm_.begin(place_.team); }) {
            machine_.run(algorithm_.begin(place_.team));
        } else {
            machine_.run(algorithm_.begin());
        }
    }
    double edges() override { return all_edges(place_.team, place_.graph); }

  protected:
    /// The value of every neighbour, row by row as in the graph, from its owner. Collective.
    template <class Value>
    [[nodiscard]] std::vector<Value> of_neighbours(const std::vector<Value>& values) const {
        return lookup(place_.team, place_.graph.owners, place_.graph.targets,
                      [&](std::size_t local) { return values[local]; });
    }

    /// How people know an own vertex: by its number.
    [[nodiscard]] std::string named(std::size_t local) const {
        return "vertex " + std::to_string(place_.graph.owners.number(place_.graph.vertex(local)));
    }

    Place place_;
    Algorithm algorithm_;

  private:
    agm::Machine<Algorithm> machine_;
};

} // namespace goodsyard::graph
