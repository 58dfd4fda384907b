#include "graph/kernel.hpp"

#include <algorithm>
#include <cstdint>

#include "graph/kernels.hpp"

namespace goodsyard::graph {

namespace {

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

} // namespace

Orders orders_of(const Asked& asked, const Csr& graph, OrderKind usual) {
    const double delta = asked.verb == Verb::sssp ? delta_of(asked, graph) : std::max(asked.delta, 1.0);
    const auto k = static_cast<std::uint32_t>(asked.k);
    const bool runs_handlers = asked.runtime.execution == runtime::Execution::handler;
    return {.global = Order(order_kind(asked, usual), delta, k),
            .local = Order(local_order_kind(asked), delta, k),
            .own_at_once = asked.own == Own::by_execution ? runs_handlers : asked.own == Own::at_once};
}

double all_edges(const Team& team, const Csr& graph) {
    std::uint64_t ends = 0;
    for (const std::uint32_t own : graph.ends) {
        ends += own;
    }
    return static_cast<double>(team.all(Fold::sum, ends)) / 2;
}

RowOrder row_order(const Asked& asked) {
    return asked.verb == Verb::sssp && asked.optimises_direction ? RowOrder::by_weight
                                                                 : RowOrder::by_neighbour;
}

std::unique_ptr<Kernel> make_kernel(const Place& place, const Asked& asked) {
    switch (asked.verb) {
    case Verb::sssp:
        return make_sssp(place, asked);
    case Verb::bfs:
        return make_bfs(place, asked);
    case Verb::cc:
        return make_components(place, asked);
    case Verb::kcore:
        return make_cores(place, asked);
    case Verb::pagerank:
        return make_pagerank(place, asked);
    case Verb::bc:
        return make_betweenness(place, asked);
    case Verb::mis:
        return make_independent_set(place, asked);
    case Verb::colour:
        return make_colouring(place, asked);
    case Verb::triangles:
        return make_triangles(place, asked);
    case Verb::generate:
        break;
    }
    return nullptr;
}

} // namespace goodsyard::graph
