// Triangles: three vertices, each a neighbour of the others.
//
// Vertices are in order of their degrees, then of their numbers, and rows have the neighbours behind a vertex
// alone, in that order, of which no row has more than √(2 m) (Chiba and Nishizeki 1985, DOI 10.1137/0214017).
// A triangle is counted once, at its middle vertex: of each own vertex, the row goes once to every rank that
// has one of its neighbours, and is looked for in the rows of these. No work item has a class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/csr.hpp"
#include "graph/lookup.hpp"
#include "harness/team.hpp"
#include "runtime/record_channel.hpp"

namespace goodsyard::agm {

class Triangles {
  public:
    /// Collective. All that is given outlives this.
    Triangles(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime)
        : team_(team), graph_(graph), runtime_(runtime),
          rows_(runtime, [this](std::span<const std::byte> record, int /*from*/) { receive(record); }) {}
    Triangles(const Triangles&) = delete;
    Triangles& operator=(const Triangles&) = delete;

    /// Count those of the whole graph. Collective.
    void run() {
        keep_later_neighbours();
        counts_.assign(graph_.count(), 0);
        last_told_.assign(graph_.owners.ranks(), 0);
        constexpr std::size_t piece = 16;
        runtime_.epoch_over(graph_.count(), piece, [this](std::size_t local) { tell(local); });
    }

    /// Triangles of which each vertex is the middle one.
    [[nodiscard]] const std::vector<std::uint32_t>& counts() const { return counts_; }

  private:
    __extension__ using Wide = unsigned __int128;
    /// Where a vertex is in the order: by its degree, then its number.
    using Place = std::conditional_t<sizeof(graph::Vertex) == sizeof(std::uint32_t), std::uint64_t, Wide>;

    [[nodiscard]] Place place(graph::Vertex vertex, std::uint32_t degree) const {
        return (Place{degree} << std::numeric_limits<graph::Vertex>::digits) | graph_.owners.number(vertex);
    }
    [[nodiscard]] graph::Vertex vertex(Place place) const {
        return graph_.owners.vertex(static_cast<graph::Vertex>(place));
    }
    [[nodiscard]] std::span<const Place> row(std::size_t local) const {
        return {places_.data() + begin_[local], begin_[local + 1] - begin_[local]};
    }

    /// Look for the row of an own vertex in those of its neighbours, here and on other ranks.
    void tell(std::size_t local) {
        const std::span<const Place> later = row(local);
        if (later.size() < 2) {
            return;
        }
        look_for(later);
        // The last has none behind it that could close a triangle.
        for (const Place middle : later.first(later.size() - 1)) {
            const std::size_t owner = graph_.owners.owner(vertex(middle));
            if (owner != graph_.rank && std::exchange(last_told_[owner], local + 1) != local + 1) {
                rows_.send(static_cast<int>(owner), std::as_bytes(later));
            }
        }
    }
    void receive(std::span<const std::byte> record) {
        received_.resize(record.size() / sizeof(Place));
        std::memcpy(received_.data(), record.data(), record.size());
        look_for(received_);
    }
    /// Count what is behind each own vertex of a row, and in its own row too.
    void look_for(std::span<const Place> later) {
        std::size_t compared = 0;
        for (std::size_t i = 0; i + 1 < later.size(); ++i) {
            const graph::Vertex middle = vertex(later[i]);
            if (!graph_.owns(middle)) {
                continue;
            }
            const std::size_t local = graph_.owners.local(middle);
            counts_[local] += common(later.subspan(i + 1), row(local));
            compared += later.size() - i - 1 + row(local).size();
        }
        runtime_.charge(Work::comparison, static_cast<double>(compared));
        runtime_.counters().useful += 1;
    }

    /// Rows of the neighbours that are behind a vertex.
    void keep_later_neighbours() {
        const std::vector<std::uint32_t> degrees =
            graph::lookup(team_, graph_.owners, graph_.targets, [this](std::size_t local) {
                return static_cast<std::uint32_t>(graph_.degree(local));
            });
        places_.clear();
        begin_.assign(1, 0);
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            const Place own_part =
                place(graph_.vertex(local), static_cast<std::uint32_t>(graph_.degree(local)));
            for (std::uint64_t i = graph_.begin[local]; i < graph_.begin[local + 1]; ++i) {
                if (const Place second = place(graph_.targets[i], degrees[i]); second > own_part) {
                    places_.push_back(second);
                }
            }
            std::sort(places_.begin() + static_cast<std::ptrdiff_t>(begin_.back()), places_.end());
            begin_.push_back(places_.size());
        }
    }

    /// How many are in both rows.
    static std::uint32_t common(std::span<const Place> a, std::span<const Place> b) {
        std::uint32_t result = 0;
        for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
            const Place left = *x, right = *y;
            result += left == right ? 1 : 0;
            x += left <= right ? 1 : 0;
            y += right <= left ? 1 : 0;
        }
        return result;
    }

    const Team& team_;
    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    std::vector<std::uint64_t> begin_; ///< Of each own vertex in what follows, and the end of the last.
    std::vector<Place> places_;        ///< Where the neighbours behind it are in the order.
    std::vector<std::uint32_t> counts_;
    std::vector<std::size_t> last_told_; ///< Of each rank: which own row it was told last, from 1 on.
    std::vector<Place> received_;
    runtime::RecordChannel rows_;
};

} // namespace goodsyard::agm
