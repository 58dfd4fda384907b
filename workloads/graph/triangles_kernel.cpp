#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "agm/triangles.hpp"
#include "graph/exchange_in_parts.hpp"
#include "graph/kernels.hpp"

namespace goodsyard::graph {

namespace {

class TrianglesKernel final : public Kernel {
  public:
    explicit TrianglesKernel(const Place& place)
        : place_(place), algorithm_(place.team, place.graph, place.runtime) {}

    void run(Vertex /*root*/) override { algorithm_.run(); }
    double edges() override { return all_edges(place_.team, place_.graph); }
    std::vector<Fact> facts() override {
        return {{"triangle_checksum", "", checksum_of(place_.team, place_.graph, algorithm_.counts())},
                {"triangles", "", static_cast<double>(triangles())}};
    }

    [[nodiscard]] Outcome outcome() const override { return outcome_of("triangles", algorithm_.counts()); }

    /// Without any order of vertices, each triangle is found once from each of its three.
    std::optional<std::string> violation(Vertex /*root*/) override {
        const std::uint64_t ordered = triangles(), found = closed_pairs();
        if (found != 3 * ordered) {
            return std::to_string(ordered) + " triangles, and " + std::to_string(found) +
                   " pairs of neighbours of a vertex that are neighbours, which are three of each";
        }
        return std::nullopt;
    }

  private:
    struct Pair {
        Vertex vertex;
        Vertex other;
    };
    /// Pairs of a rank that are sent together, and those of one neighbour more at most.
    static constexpr std::uint64_t most_pairs = 1 << 18;

    std::uint64_t triangles() {
        const std::vector<std::uint32_t>& counts = algorithm_.counts();
        return place_.team.all(Fold::sum, std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    }

    /// Pairs of neighbours of any vertex that are neighbours themselves, by asking the owner of one of them.
    std::uint64_t closed_pairs() {
        const Csr& graph = place_.graph;
        std::uint64_t closed = 0;
        std::size_t local = 0;
        std::size_t first = 0; ///< In the row of `local`, which may be asked about in several parts.
        exchange_in_parts<Pair>(
            place_.team,
            [&](std::vector<std::vector<Pair>>& questions) {
                for (std::uint64_t request = 0; local < graph.count() && request < most_pairs;) {
                    const std::span<const Vertex> row = graph.neighbours(local);
                    for (; first < row.size() && request < most_pairs; ++first) {
                        for (const Vertex neighbour : row.subspan(first + 1)) {
                            questions[graph.owners.owner(row[first])].push_back({row[first], neighbour});
                        }
                        request += row.size() - first - 1;
                    }
                    if (first == row.size()) {
                        ++local;
                        first = 0;
                    }
                }
                return local < graph.count();
            },
            [&](const Pair& pair) {
                const auto row = graph.neighbours(graph.owners.local(pair.vertex));
                closed += std::ranges::binary_search(row, pair.other) ? 1 : 0;
            });
        return place_.team.all(Fold::sum, closed);
    }

    Place place_;
    agm::Triangles algorithm_;
};

} // namespace

std::unique_ptr<Kernel> make_triangles(const Place& place, const Asked& /*request*/) {
    return std::make_unique<TrianglesKernel>(place);
}

} // namespace goodsyard::graph
