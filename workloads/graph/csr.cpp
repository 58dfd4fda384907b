#include "graph/csr.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

#include "runtime/agreement.hpp"

namespace goodsyard::graph {
inline namespace GOODSYARD_VERTICES {

namespace {

/// Half an edge, on its way to the owner of `from`.
struct Arc {
    Vertex from = 0;
    Vertex to = 0;
    float weight = 0;
};

/// Calls `visit` with every arc from a vertex of this rank. Collective.
template <class Visit>
void for_own_arcs(const Team& team, const Edges& edges, const Owners& owners, bool both_ways, Visit visit) {
    const std::uint64_t rounds = team.all(Fold::max, (edges.own() + batch - 1) / batch);
    std::vector<Edge> some;
    std::vector<std::vector<Arc>> outgoing(owners.ranks());
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::uint64_t first = std::min(round * batch, edges.own());
        some.resize(std::min(batch, edges.own() - first));
        edges.read(first, some);
        for (std::vector<Arc>& arcs : outgoing) {
            arcs.clear();
        }
        for (const Edge& edge : some) {
            const Vertex source = owners.vertex(edge.source);
            const Vertex target = owners.vertex(edge.target);
            outgoing[owners.owner(source)].push_back({source, target, edge.weight});
            if (both_ways) {
                outgoing[owners.owner(target)].push_back({target, source, edge.weight});
            }
        }
        for (const std::vector<Arc>& arcs : team.exchanged(outgoing)) {
            for (const Arc& arc : arcs) {
                visit(arc);
            }
        }
    }
}

/// Shorten to `count` values, and give the system back the pages behind them: to move what is left would need
/// both at a time.
template <class T>
void cut(std::vector<T>& values, std::size_t count) {
    void* first = values.data() + count;
    std::size_t bytes = (values.size() - count) * sizeof(T);
    values.resize(count);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (std::align(page, page, first, bytes) != nullptr) {
        madvise(first, bytes / page * page, MADV_DONTNEED);
    }
}

struct Neighbour {
    Vertex vertex;
    float weight;
};

/// Keep the lightest of parallel edges in the row of each vertex, and put it in order.
void make_simple(Csr& graph, RowOrder order) {
    std::vector<Neighbour> row;
    std::uint64_t stored = 0;
    for (std::size_t local = 0; local < graph.count(); ++local) {
        row.clear();
        for (std::uint64_t i = graph.begin[local]; i < graph.begin[local + 1]; ++i) {
            row.push_back({graph.targets[i], graph.weights[i]});
        }
        std::sort(row.begin(), row.end(), [](const Neighbour& a, const Neighbour& b) {
            return std::tie(a.vertex, a.weight) < std::tie(b.vertex, b.weight);
        });
        const auto is_parallel = [](const Neighbour& a, const Neighbour& b) { return a.vertex == b.vertex; };
        row.erase(std::unique(row.begin(), row.end(), is_parallel), row.end());
        if (order == RowOrder::by_weight) {
            const auto lighter = [](const Neighbour& a, const Neighbour& b) { return a.weight < b.weight; };
            std::stable_sort(row.begin(), row.end(), lighter);
        }
        graph.begin[local] = stored;
        for (const Neighbour& neighbour : row) {
            graph.targets[stored] = neighbour.vertex;
            graph.weights[stored] = neighbour.weight;
            ++stored;
        }
    }
    graph.begin.back() = stored;
    cut(graph.targets, stored);
    cut(graph.weights, stored);
}

} // namespace

double bytes_of_rank(std::uint64_t vertices, std::uint64_t tuples, int ranks) {
    constexpr double of_vertex = 40; // Row, counts, distance, parent, and a place in a queue.
    constexpr double of_tuple = 2 * (sizeof(Vertex) + sizeof(float));
    constexpr double of_copies = 1.125; // Distances of other ranks are at most an eighth of the rows.
    const double rows = of_vertex * static_cast<double>(vertices) + of_tuple * static_cast<double>(tuples);
    return of_copies * rows / ranks;
}

Csr build(const Team& team, const Edges& edges, RowOrder order, Arcs arcs, Dealing dealing,
          runtime::Place caller) {
    runtime::compare_products(team,
                              "a graph of " + std::to_string(edges.vertices()) + " vertices, dealt in way " +
                                  std::to_string(static_cast<int>(dealing)) + ", rows in order " +
                                  std::to_string(static_cast<int>(order)) + ", arcs of kind " +
                                  std::to_string(static_cast<int>(arcs)),
                              caller);
    const bool both_ways = arcs == Arcs::both_ways || team.all(Fold::max, edges.is_symmetric() ? 1 : 0) != 0;
    const Owners owners(edges.vertices(), team.size(), dealing);
    const auto rank = static_cast<std::size_t>(team.rank());
    const std::size_t count = owners.count(rank);
    Csr graph{.owners = owners, .rank = rank, .begin = {}, .targets = {}, .weights = {}, .ends = {}};
    graph.begin.resize(count + 1);
    graph.ends.resize(count);
    double largest = 0;
    for_own_arcs(team, edges, owners, both_ways, [&](const Arc& arc) {
        const std::size_t local = owners.local(arc.from);
        ++graph.ends[local];
        graph.begin[local + 1] += arc.from != arc.to ? 1 : 0;
        largest = std::max(largest, static_cast<double>(arc.weight));
    });
    graph.largest_weight = static_cast<float>(team.all(Fold::max, largest));
    for (std::size_t local = 0; local < count; ++local) {
        graph.begin[local + 1] += graph.begin[local];
    }
    graph.targets.resize(graph.begin.back());
    graph.weights.resize(graph.begin.back());
    // A row's begin is where its next arc goes, and ends as that of the row behind it.
    for_own_arcs(team, edges, owners, both_ways, [&](const Arc& arc) {
        if (arc.from != arc.to) {
            const std::uint64_t place = graph.begin[owners.local(arc.from)]++;
            graph.targets[place] = arc.to;
            graph.weights[place] = arc.weight;
        }
    });
    std::shift_right(graph.begin.begin(), graph.begin.end(), 1);
    graph.begin.front() = 0;
    make_simple(graph, order);
    graph.order = order;
    return graph;
}

double remote_share(const Team& team, const Csr& graph) {
    const auto is_remote = [&](Vertex target) { return !graph.owns(target); };
    const auto remote = static_cast<std::uint64_t>(std::ranges::count_if(graph.targets, is_remote));
    const auto arcs = team.all(Fold::sum, std::uint64_t{graph.targets.size()});
    return static_cast<double>(team.all(Fold::sum, remote)) /
           static_cast<double>(std::max<std::uint64_t>(arcs, 1));
}

} // namespace GOODSYARD_VERTICES
} // namespace goodsyard::graph
