// Triangles: three vertices, each a neighbour of the others.
//
// Vertices are in order of their degrees, then of their numbers, and rows have the neighbours behind a vertex
// alone, in that order, of which no row has more than √(2 m) (Chiba and Nishizeki 1985, DOI 10.1137/0214017).
// A triangle is counted once, at its middle vertex.
//
// Work item: (vertex, last): are they neighbours, as both are of a third vertex before them? At first: every
// own vertex by itself. On receipt of a question: one more where they are; no item.
// When current: a question for each pair of neighbours behind; pairs whose middle vertex is on this rank are
// looked for in both rows at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "agm/order.hpp"
#include "agm/prefetched_rows.hpp"
#include "graph/csr.hpp"
#include "graph/lookup.hpp"
#include "harness/team.hpp"

namespace goodsyard::agm {

class Triangles : public PrefetchedRows {
  public:
    struct Item {
        graph::Vertex vertex;
        graph::Vertex last; ///< no_vertex: the vertex by itself.
    };

    explicit Triangles(const graph::Csr& graph) : PrefetchedRows(graph) {}

    /// Returns the initial work items of this rank. Collective.
    std::vector<Item> begin(const Team& team) {
        keep_later_neighbours(team);
        counts_.assign(graph_.count(), 0);
        std::vector<Item> items;
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            if (begin_[local + 1] - begin_[local] > 1) {
                items.push_back({graph_.vertex(local), graph::no_vertex});
            }
        }
        return items;
    }

    bool receive(const Item& item) {
        const std::size_t local = graph_.owners.local(item.vertex);
        // Both are behind the vertex that asks, in this order, so that any neighbour closes the triangle.
        if (!std::ranges::binary_search(graph_.neighbours(local), item.last)) {
            return false;
        }
        ++counts_[local];
        return true;
    }

    /// A question that is answered is done.
    [[nodiscard]] static bool has_work(const Item& item) { return item.last == graph::no_vertex; }
    [[nodiscard]] static bool is_current(const Item& /*item*/) { return true; }

    template <class Emit>
    void process(const Item& item, Emit emit) {
        const std::size_t first = graph_.owners.local(item.vertex);
        for (std::uint64_t i = begin_[first]; i < begin_[first + 1]; ++i) {
            const graph::Vertex middle = later_[i];
            if (graph_.owns(middle)) {
                const std::size_t local = graph_.owners.local(middle);
                counts_[local] += common(places(i + 1, begin_[first + 1]), row(local));
                continue;
            }
            for (std::uint64_t k = i + 1; k < begin_[first + 1]; ++k) {
                emit(Item{middle, later_[k]});
            }
        }
    }

    static Key key(const Order& /*order*/, const Item& /*item*/) { return 0; }

    /// Triangles of which each vertex is the middle one.
    [[nodiscard]] const std::vector<std::uint32_t>& counts() const { return counts_; }

  private:
    /// Where a vertex is in the order: by its degree, then its number.
    using Place = std::uint64_t;

    [[nodiscard]] Place place(graph::Vertex vertex, std::uint32_t degree) const {
        return (Place{degree} << 32U) | graph_.owners.number(vertex);
    }
    [[nodiscard]] std::span<const Place> places(std::uint64_t from, std::uint64_t end) const {
        return {places_.data() + from, end - from};
    }
    [[nodiscard]] std::span<const Place> row(std::size_t local) const {
        return places(begin_[local], begin_[local + 1]);
    }

    /// Rows of the neighbours that are behind a vertex.
    void keep_later_neighbours(const Team& team) {
        const std::vector<std::uint32_t> degrees =
            graph::lookup(team, graph_.owners, graph_.targets, [this](std::size_t local) {
                return static_cast<std::uint32_t>(graph_.degree(local));
            });
        later_.clear();
        places_.clear();
        begin_.assign(1, 0);
        std::vector<std::pair<Place, graph::Vertex>> behind;
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            const Place own_part =
                place(graph_.vertex(local), static_cast<std::uint32_t>(graph_.degree(local)));
            behind.clear();
            for (std::uint64_t i = graph_.begin[local]; i < graph_.begin[local + 1]; ++i) {
                if (const Place second = place(graph_.targets[i], degrees[i]); second > own_part) {
                    behind.emplace_back(second, graph_.targets[i]);
                }
            }
            std::ranges::sort(behind);
            for (const auto& [other, vertex] : behind) {
                places_.push_back(other);
                later_.push_back(vertex);
            }
            begin_.push_back(later_.size());
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

    std::vector<std::uint64_t> begin_; ///< Of each own vertex, and the end of the last, in both:
    std::vector<Place> places_;        ///< Where the neighbours behind it are in the order,
    std::vector<graph::Vertex> later_; ///< and which they are.
    std::vector<std::uint32_t> counts_;
};

} // namespace goodsyard::agm
