// PageRank of an undirected graph, read from neighbours: no work items.
//
// Each vertex gives all neighbours an equal share of its rank, which they read: that of a vertex of another
// rank from a copy (agm/ghosts.hpp), as old as the last iteration. Shares of own vertices are replaced in
// place, so that an iteration uses what it has made already (Gauss and Seidel), and fewer of them are needed.
// Vertices without neighbours give to all; what that is does not depend on the iteration: (1 - d) / (n - d m)
// of m such vertices. What the others have together in the end is known, too: before an iteration their ranks
// are scaled to it, since what is lacking in all of them would come back by d an iteration alone.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "agm/ghosts.hpp"
#include "agm/pagerank.hpp"
#include "graph/csr.hpp"
#include "harness/team.hpp"
#include "runtime/runtime.hpp"

namespace goodsyard::agm {

class PulledPageRank {
  public:
    PulledPageRank(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime)
        : team_(team), graph_(graph), runtime_(runtime), ghosts_(team, graph, runtime) {}

    /// Vertices without neighbours have what they end with; the others have equally much. Collective.
    void begin() {
        double alone = 0;
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            alone += graph_.degree(local) == 0 ? 1 : 0;
        }
        alone = team_.all(Fold::sum, alone);
        const auto n = static_cast<double>(graph_.owners.vertices());
        const double rank = 1 / (n - PageRank::damping * alone);
        of_all_ = (1 - PageRank::damping) * rank;
        sum_ = (n - alone) * rank;
        scale_ = 1;
        ranks_.resize(graph_.count());
        shares_.assign(ghosts_.size(), 0);
        for (std::size_t local = 0; local < ranks_.size(); ++local) {
            ranks_[local] = graph_.degree(local) == 0 ? of_all_ : rank;
            shares_[local] = share(local);
        }
        ghosts_.exchange(shares_);
    }

    /// Returns the sum of changes over all vertices. Collective.
    double iterate() {
        for (float& share : shares_) {
            share *= static_cast<float>(scale_);
        }
        double change = 0;
        double sum = 0;
        for (std::size_t local = 0; local < ranks_.size(); ++local) {
            if (graph_.degree(local) > 0) {
                const double rank = of_all_ + PageRank::damping * shares_at(local);
                change += std::abs(rank - scale_ * ranks_[local]);
                sum += rank;
                ranks_[local] = rank;
                shares_[local] = share(local);
            }
        }
        runtime_.charge(Work::comparison, static_cast<double>(graph_.targets.size()));
        ghosts_.exchange(shares_);
        sum = team_.all(Fold::sum, sum);
        scale_ = sum > 0 ? sum_ / sum : 1;
        return team_.all(Fold::sum, change);
    }

    [[nodiscard]] const std::vector<double>& ranks() const { return ranks_; }

  private:
    /// Infinite, and read by nobody, where there are no neighbours.
    [[nodiscard]] float share(std::size_t local) const {
        return static_cast<float>(ranks_[local] / static_cast<double>(graph_.degree(local)));
    }
    /// Several sums, so that none waits for the addition before.
    [[nodiscard]] double shares_at(std::size_t local) const {
        const std::span<const graph::Vertex> places =
            ghosts_.places().subspan(graph_.begin[local], graph_.degree(local));
        const float* const shares = shares_.data();
        std::array<double, 4> sums{};
        std::size_t i = 0;
        for (; i + sums.size() <= places.size(); i += sums.size()) {
            for (std::size_t k = 0; k < sums.size(); ++k) {
                sums[k] += static_cast<double>(shares[places[i + k]]);
            }
        }
        for (; i < places.size(); ++i) {
            sums[0] += static_cast<double>(shares[places[i]]);
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    const Team& team_;
    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    Ghosts<float> ghosts_;
    double of_all_ = 0; ///< What each vertex is given by all together.
    double sum_ = 0;    ///< Of the ranks of all vertices with neighbours, in the end.
    double scale_ = 1;  ///< Of these ranks before the next iteration.
    std::vector<double> ranks_;
    std::vector<float> shares_; ///< Of own vertices, and copies.
};

} // namespace goodsyard::agm
