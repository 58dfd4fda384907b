#include "graph/outcome.hpp"

#include <algorithm>
#include <span>

namespace goodsyard::graph {

namespace {

/// Vertices that are written together.
constexpr std::uint64_t piece = 1 << 14;

} // namespace

void write_outcome(const Team& team, const Csr& graph, const Outcome& outcome, const std::string& path) {
    std::vector<Column> columns = {{"vertex", CellKind::i64}};
    columns.insert(columns.end(), outcome.columns.begin(), outcome.columns.end());
    const std::size_t width = columns.size();
    TableFile file(team, path, std::move(columns), graph.owners.vertices());
    const Owners& owners = graph.owners;
    for (std::uint64_t first = 0; first < owners.vertices(); first += piece) {
        const std::uint64_t end = std::min(first + piece, owners.vertices());
        std::vector<std::size_t> rows(owners.ranks()); // Of each rank in this piece, which all ranks know.
        std::vector<std::uint64_t> own_part;
        for (std::uint64_t number = first; number < end; ++number) {
            const Vertex vertex = owners.vertex(number);
            ++rows[owners.owner(vertex)];
            if (graph.owns(vertex)) {
                own_part.push_back(number);
                outcome.append(owners.local(vertex), own_part);
            }
        }
        own_part.resize(std::ranges::max(rows) * width); // Of ranks that have fewer.
        const std::vector<std::uint64_t> all = team.gathered(own_part);
        std::vector<std::size_t> next(owners.ranks());
        for (std::uint64_t number = first; team.is_root() && number < end; ++number) {
            const std::size_t rank = owners.owner(owners.vertex(number));
            file.append(std::span(all).subspan(rank * own_part.size() + next[rank]++ * width, width));
        }
    }
    file.close();
}

} // namespace goodsyard::graph
