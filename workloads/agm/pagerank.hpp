// PageRank by iterations.
//
// Work item: (vertex, share): so much of a neighbour's rank is given to the vertex.
// On receipt: add it up; nothing is kept.
// When current: every neighbour is given an equal share of the rank. All vertices are of one class.
//
// Neighbours on the same rank need not be given anything: each of them is given as much as it gives, and
// reading is cheaper than writing at places that no cache has. In a directed graph a vertex gives to those
// that its arcs lead to, and is not given by these.
//
// Between iterations ranks become (1 - d) / n + d (what was given + what vertices without neighbours have /
// n) with d = .85 (Brin and Page, 1998, DOI 10.1016/S0169-7552(98)00110-X); their sum stays 1.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "agm/order.hpp"
#include "agm/prefetched_rows.hpp"
#include "graph/csr.hpp"
#include "harness/team.hpp"
#include "runtime/runtime.hpp"

namespace goodsyard::agm {

class PageRank : public PrefetchedRows {
  public:
    struct Item {
        graph::Vertex vertex;
        float share; ///< 8 bytes an item; ranks themselves are double.

        // For caches of what was sent.
        [[nodiscard]] std::uint64_t key() const { return vertex; }
        [[nodiscard]] float& value() { return share; }
        [[nodiscard]] float value() const { return share; }
    };
    static constexpr double damping = .85;

    /// With `reads_own`, vertices of an undirected graph read what neighbours on the same rank give to them.
    /// Rows are in the order of neighbours.
    PageRank(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime, bool reads_own)
        : PrefetchedRows(graph), team_(team), runtime_(runtime), reads_own_(reads_own) {
        for (std::size_t local = 0; local < graph.count(); ++local) {
            if (graph.degree(local) > 0) {
                items_.push_back({graph.vertex(local), 0});
            }
        }
    }

    /// Every vertex has the same rank.
    void begin() {
        ranks_.assign(graph_.count(), 1 / static_cast<double>(graph_.owners.vertices()));
        given_.assign(graph_.count(), 0);
        shares_.resize(graph_.count());
        share_out();
    }

    /// The work items of an iteration.
    [[nodiscard]] const std::vector<Item>& items() const { return items_; }

    bool receive(const Item& item) {
        given_[graph_.owners.local(item.vertex)] += static_cast<double>(item.share);
        return false;
    }

    [[nodiscard]] static bool is_current(const Item& /*item*/) { return true; }

    template <class Emit>
    void process(const Item& item, Emit& emit) {
        const std::size_t local = graph_.owners.local(item.vertex);
        const std::span<const graph::Vertex> row = graph_.neighbours(local);
        const std::span<const graph::Vertex> own = reads_own_ ? graph_.own_part(row) : row.first(0);
        const auto before = static_cast<std::size_t>(own.data() - row.data());
        for (const graph::Vertex neighbour : row.first(before)) {
            emit(Item{neighbour, shares_[local]});
        }
        given_[local] += shares_of(own);
        for (const graph::Vertex neighbour : row.subspan(before + own.size())) {
            emit(Item{neighbour, shares_[local]});
        }
    }

    static Key key(const Order& /*order*/, const Item& /*item*/) { return 0; }

    /// End an iteration. Returns the sum of changes over all vertices. Collective.
    double end_iteration() {
        const auto n = static_cast<double>(graph_.owners.vertices());
        double alone = 0;
        for (std::size_t local = 0; local < ranks_.size(); ++local) {
            alone += graph_.degree(local) == 0 ? ranks_[local] : 0;
        }
        const double of_all = (1 - damping + damping * team_.all(Fold::sum, alone)) / n;
        double change = 0;
        for (std::size_t local = 0; local < ranks_.size(); ++local) {
            const double rank = of_all + damping * given_[local];
            change += std::abs(rank - ranks_[local]);
            ranks_[local] = rank;
            given_[local] = 0;
        }
        share_out();
        return team_.all(Fold::sum, change);
    }

    [[nodiscard]] const std::vector<double>& ranks() const { return ranks_; }

  private:
    /// What each neighbour of a vertex is given.
    void share_out() {
        for (std::size_t local = 0; local < ranks_.size(); ++local) {
            shares_[local] = static_cast<float>(ranks_[local] / static_cast<double>(graph_.degree(local)));
        }
    }

    /// Several sums, so that none waits for the addition before.
    [[nodiscard]] double shares_of(std::span<const graph::Vertex> neighbours) {
        runtime_.charge(Work::comparison, static_cast<double>(neighbours.size()));
        const float* const shares = shares_.data();
        const graph::Owners owners = graph_.owners;
        std::array<double, 4> sums{};
        std::size_t i = 0;
        for (; i + sums.size() <= neighbours.size(); i += sums.size()) {
            for (std::size_t k = 0; k < sums.size(); ++k) {
                sums[k] += static_cast<double>(shares[owners.local(neighbours[i + k])]);
            }
        }
        for (; i < neighbours.size(); ++i) {
            sums[0] += static_cast<double>(shares[owners.local(neighbours[i])]);
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    const Team& team_;
    runtime::Runtime& runtime_;
    const bool reads_own_;
    std::vector<Item> items_;
    std::vector<float> shares_; ///< Infinite, and of nobody, where there are no neighbours.
    std::vector<double> ranks_;
    std::vector<double> given_;
};

} // namespace goodsyard::agm
