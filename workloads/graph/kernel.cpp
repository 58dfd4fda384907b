#include "graph/kernel.hpp"

#include <algorithm>
#include <cstdint>

#include "graph/kernels.hpp"

namespace goodsyard::graph {

namespace {

using agm::Order;
using agm::OrderKind;
using agm::Orders;

OrderKind order_kind(const std::string& order, OrderKind usual) {
    for (const auto& [name, kind] : agm::order_names) {
        if (name == order) {
            return kind;
        }
    }
    return usual;
}

double delta_of(const Asked& request, const Csr& graph) {
    if (request.delta > 0) {
        return request.delta;
    }
    constexpr double classes_of_an_edge = 128;
    const auto largest = static_cast<double>(graph.largest_weight);
    return largest > 0 && largest <= 1 ? largest / classes_of_an_edge : 1.0;
}

} // namespace

Orders orders_of(const Asked& request, const Csr& graph, OrderKind usual) {
    const double delta = request.verb == Verb::sssp ? delta_of(request, graph) : std::max(request.delta, 1.0);
    const auto k = static_cast<std::uint32_t>(request.k);
    const bool runs_handlers = request.runtime.execution == runtime::Execution::handler;
    return {.global = Order(order_kind(request.order, usual), delta, k),
            .local = Order(order_kind(request.local_order, OrderKind::chaotic), delta, k),
            .node = Order(order_kind(request.node_order, OrderKind::chaotic), delta, k),
            .own_at_once = request.own == Own::by_execution ? runs_handlers : request.own == Own::at_once};
}

double all_edges(const Team& team, const Csr& graph) {
    std::uint64_t ends = 0;
    for (const std::uint32_t local : graph.ends) {
        ends += local;
    }
    return static_cast<double>(team.all(Fold::sum, ends)) / 2;
}

RowOrder row_order(const Asked& request) {
    return request.verb == Verb::sssp && request.optimises_direction ? RowOrder::by_weight
                                                                     : RowOrder::by_neighbour;
}

std::unique_ptr<Kernel> make_kernel(const Place& place, const Asked& request) {
    switch (request.verb) {
    case Verb::sssp:
        return make_sssp(place, request);
    case Verb::bfs:
        return make_bfs(place, request);
    case Verb::cc:
        return make_components(place, request);
    case Verb::kcore:
        return make_cores(place, request);
    case Verb::pagerank:
        return make_pagerank(place, request);
    case Verb::bc:
        return make_betweenness(place, request);
    case Verb::mis:
        return make_independent_set(place, request);
    case Verb::colour:
        return make_colouring(place, request);
    case Verb::triangles:
        return make_triangles(place, request);
    case Verb::generate:
        break;
    }
    return nullptr;
}

} // namespace goodsyard::graph
