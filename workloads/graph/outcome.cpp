#include "graph/outcome.hpp"

#include <algorithm>
#include <span>

namespace goodsyard::graph {

namespace {

/// Vertices of a rank that are sent together.
constexpr std::size_t piece = 1 << 14;

} // namespace

void write_outcome(const Team& team, const Csr& graph, const Outcome& outcome, const std::string& path) {
    std::vector<Column> columns = {{"vertex", CellKind::i64}};
    columns.insert(columns.end(), outcome.columns.begin(), outcome.columns.end());
    const std::size_t width = columns.size();
    TableFile file(team, path, std::move(columns), graph.owners.vertices());
    // Vertices are dealt out one by one: places from `first` on are one piece of all numbers.
    const std::size_t places = graph.owners.count(0);
    for (std::size_t first = 0; first < places; first += piece) {
        const std::size_t end = std::min(first + piece, places);
        std::vector<std::uint64_t> own_part;
        for (std::size_t local = first; local < std::min(end, graph.count()); ++local) {
            own_part.push_back(graph.owners.number(graph.vertex(local)));
            outcome.append(local, own_part);
        }
        own_part.resize((end - first) * width); // Of ranks that have a vertex less.
        const std::vector<std::uint64_t> all = team.gathered(own_part);
        for (std::size_t local = first; team.is_root() && local < end; ++local) {
            for (std::size_t rank = 0; rank < graph.owners.ranks() && local < graph.owners.count(rank);
                 ++rank) {
                file.append(std::span(all).subspan(rank * own_part.size() + (local - first) * width, width));
            }
        }
    }
    file.close();
}

} // namespace goodsyard::graph
