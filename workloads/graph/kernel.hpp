// An algorithm as the program measures it: a run, what came of it, and whether that is right.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agm/machine.hpp"
#include "graph/asked.hpp"
#include "graph/csr.hpp"
#include "graph/outcome.hpp"
#include "harness/operation.hpp"

namespace goodsyard::graph {

class Kernel {
  public:
    Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    virtual ~Kernel() = default;

    /// From a source; algorithms without sources do not look at it. This is timed. Collective.
    virtual void run(Vertex root) = 0;

    /// Undirected edges of the input that a run is said to go through: those of the source's component, or
    /// all. Collective.
    [[nodiscard]] virtual double edges() = 0;

    /// What came of the last run. Collective.
    [[nodiscard]] virtual std::vector<Fact> facts() = 0;

    /// The same for each vertex; of `bc`, of all sources so far. Refers to this.
    [[nodiscard]] virtual Outcome outcome() const = 0;

    /// What is wrong with it, told to the rank that finds it. Collective.
    [[nodiscard]] virtual std::optional<std::string> violation(Vertex root) = 0;
};

/// What kernels are made from.
struct Place {
    const Team& team;
    const Edges& edges;
    const Csr& graph;
    runtime::Runtime& runtime;
};

/// The order of rows that the algorithm needs.
RowOrder row_order(const Asked& request);

/// The algorithm that is asked for. Collective.
std::unique_ptr<Kernel> make_kernel(const Place& place, const Asked& request);

} // namespace goodsyard::graph
