// Triangles: three vertices, each a neighbour of the others.
//
// Vertices are in order of their degrees, then of their numbers, and rows have the neighbours behind a vertex
// alone, in that order, of which no row has more than √(2 m) (Chiba and Nishizeki 1985, DOI 10.1137/0214017).
// Where degrees are alike, as in a lattice, they are in order of their numbers alone; rows that are in that
// order as they are need no copy.
//
// A triangle is counted once, at its middle vertex: of each own vertex, the row goes once to every rank that
// has one of its neighbours, and is looked for in the rows of these. No work item has a class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <tuple>
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
        : team_(team), graph_(graph), runtime_(runtime), first_(graph.vertex(0)),
          count_(static_cast<graph::Vertex>(graph.count())),
          rows_(runtime, [this](std::span<const std::byte> record, int /*from*/) { receive(record); }) {}
    Triangles(const Triangles&) = delete;
    Triangles& operator=(const Triangles&) = delete;

    /// Count those of the whole graph. Collective.
    void run() {
        counts_.assign(graph_.count(), 0);
        last_told_.assign(graph_.owners.ranks(), 0);
        const Degrees degrees = degrees_of_all();
        is_in_place_ =
            degrees.are_alike && graph_.order == graph::RowOrder::by_neighbour && graph_.owners.all_ascend();
        if (!is_in_place_) {
            keep_later_neighbours(degrees.are_alike);
        }
        // Some thousand comparisons between two looks for messages.
        const double comparisons = std::max(1.0, degrees.mean * degrees.mean);
        const auto piece = static_cast<std::size_t>(std::max(16.0, 4096 / comparisons));
        if (is_in_place_) {
            runtime_.epoch_over(graph_.count(), piece, [this](std::size_t local) { tell_in_place(local); });
        } else {
            runtime_.epoch_over(graph_.count(), piece, [this](std::size_t local) { tell_later(local); });
        }
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
    [[nodiscard]] static graph::Vertex vertex(graph::Vertex entry) { return entry; }

    struct Degrees {
        double mean;
        bool are_alike; ///< None is far above the mean.
    };
    [[nodiscard]] Degrees degrees_of_all() const {
        std::size_t largest = 0;
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            largest = std::max(largest, graph_.degree(local));
        }
        const auto arcs = static_cast<double>(team_.all(Fold::sum, std::uint64_t{graph_.targets.size()}));
        const auto of_all = static_cast<double>(team_.all(Fold::max, std::uint64_t{largest}));
        const double mean = arcs / static_cast<double>(graph_.owners.vertices());
        return {mean, of_all <= 4 * mean};
    }

    /// By value, for loops.
    template <class Entry>
    struct Rows {
        const std::uint64_t* begin;
        const Entry* entries;

        std::span<const Entry> operator[](std::size_t local) const {
            return {entries + begin[local], begin[local + 1] - begin[local]};
        }
    };
    /// As Places, the neighbours that are behind a vertex; as Vertices all of them, in place, where those
    /// before it count.
    template <class Entry>
    [[nodiscard]] Rows<Entry> rows_of() const {
        if constexpr (std::is_same_v<Entry, graph::Vertex>) {
            return {graph_.begin.data(), graph_.targets.data()};
        } else {
            return {begin_.data(), places_.data()};
        }
    }
    /// Neighbours of a row between which and its vertex another one can lie: all but one.
    template <class Entry>
    static std::span<const Entry> middles(std::span<const Entry> side) {
        return std::is_same_v<Entry, graph::Vertex> ? side.subspan(1) : side.first(side.size() - 1);
    }
    /// What can close a triangle with the middle vertex at a place of a row.
    template <class Entry>
    static std::span<const Entry> beyond(std::span<const Entry> side, std::size_t middle) {
        return std::is_same_v<Entry, graph::Vertex> ? side.first(middle) : side.subspan(middle + 1);
    }

    void tell_in_place(std::size_t local) {
        const std::span<const graph::Vertex> all = graph_.neighbours(local);
        const graph::Vertex centre = first_ + static_cast<graph::Vertex>(local);
        if (all.size() < 2 || all[1] >= centre) {
            return;
        }
        std::size_t before = 2; // They are half of the row, which is short where degrees are alike.
        while (before < all.size() && all[before] < centre) {
            ++before;
        }
        tell(local, all.first(before));
    }
    void tell_later(std::size_t local) {
        const std::span<const Place> later = rows_of<Place>()[local];
        if (later.size() >= 2) {
            tell(local, later);
        }
    }
    /// Look for the row of an own vertex, of two at least, in those of its neighbours, here and on other
    /// ranks.
    template <class Entry>
    void tell(std::size_t local, std::span<const Entry> side) {
        look_for(side, [&](graph::Vertex middle) {
            const std::size_t owner = graph_.owners.owner(middle);
            if (std::exchange(last_told_[owner], local + 1) != local + 1) {
                rows_.send(static_cast<int>(owner), std::as_bytes(side));
            }
        });
    }
    void receive(std::span<const std::byte> record) {
        if (is_in_place_) {
            look_for_received<graph::Vertex>(record);
        } else {
            look_for_received<Place>(record);
        }
    }
    template <class Entry>
    void look_for_received(std::span<const std::byte> record) {
        auto& side = std::get<std::vector<Entry>>(received_);
        side.resize(record.size() / sizeof(Entry));
        std::memcpy(side.data(), record.data(), record.size());
        look_for(std::span<const Entry>(side), [](graph::Vertex /*middle*/) {});
    }
    /// Count what is beyond each own vertex of a row, and in its own row too; `visit` the others.
    template <class Entry, class Visit>
    void look_for(std::span<const Entry> side, Visit visit) {
        const Rows<Entry> rows = rows_of<Entry>();
        std::size_t compared = 0;
        for (const Entry& entry : middles(side)) {
            const graph::Vertex middle = vertex(entry);
            const graph::Vertex local = middle - first_;
            if (local >= count_) {
                visit(middle);
                continue;
            }
            const std::span<const Entry> candidates =
                beyond(side, static_cast<std::size_t>(&entry - side.data()));
            if (const std::uint32_t closed = common(candidates, rows[local]); closed > 0) {
                counts_[local] += closed;
            }
            compared += candidates.size() + rows[local].size();
        }
        runtime_.charge(Work::comparison, static_cast<double>(compared));
        runtime_.counters().useful += 1;
    }

    /// Rows of the neighbours that are behind a vertex, by their numbers alone where degrees are alike.
    void keep_later_neighbours(bool are_alike) {
        std::vector<std::uint32_t> degrees;
        if (!are_alike) {
            degrees = graph::lookup(team_, graph_.owners, graph_.targets, [this](std::size_t local) {
                return static_cast<std::uint32_t>(graph_.degree(local));
            });
        }
        places_.clear();
        begin_.assign(1, 0);
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            const Place own_part =
                place(graph_.vertex(local), are_alike ? 0 : static_cast<std::uint32_t>(graph_.degree(local)));
            for (std::uint64_t i = graph_.begin[local]; i < graph_.begin[local + 1]; ++i) {
                if (const Place second = place(graph_.targets[i], are_alike ? 0 : degrees[i]);
                    second > own_part) {
                    places_.push_back(second);
                }
            }
            std::sort(places_.begin() + static_cast<std::ptrdiff_t>(begin_.back()), places_.end());
            begin_.push_back(places_.size());
        }
    }

    /// How many are in both rows.
    template <class Entry>
    static std::uint32_t common(std::span<const Entry> a, std::span<const Entry> b) {
        std::uint32_t result = 0;
        if (a.empty() || b.empty()) {
            return result;
        }
        // What has not been passed stays in a register.
        auto x = a.begin(), y = b.begin();
        for (Entry left = *x, right = *y;;) {
            if (left < right) {
                if (++x == a.end()) {
                    return result;
                }
                left = *x;
            } else if (right < left) {
                if (++y == b.end()) {
                    return result;
                }
                right = *y;
            } else {
                ++result;
                if (++x == a.end() || ++y == b.end()) {
                    return result;
                }
                left = *x;
                right = *y;
            }
        }
    }

    const Team& team_;
    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    const graph::Vertex first_; ///< Of the own vertices, which follow it.
    const graph::Vertex count_;
    std::vector<std::uint64_t> begin_; ///< Of each own vertex in what follows, and the end of the last.
    std::vector<Place> places_;        ///< Where the neighbours behind it are in the order.
    std::vector<std::uint32_t> counts_;
    std::vector<std::size_t> last_told_; ///< Of each rank: which own row it was told last, from 1 on.
    std::tuple<std::vector<Place>, std::vector<graph::Vertex>> received_;
    bool is_in_place_ = false;
    runtime::RecordChannel rows_;
};

} // namespace goodsyard::agm
