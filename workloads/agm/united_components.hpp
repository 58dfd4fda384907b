// Connected components by union-find: each rank unites what its own arcs join, then the first rank unites
// what arcs between ranks join of these.
//
// Within a rank: Sutton, Ben-Nun, Barak: Optimizing parallel graph connectivity computation via subgraph
// sampling, IPDPS 2018, DOI 10.1109/IPDPS.2018.00012. The first two neighbours of each vertex are united, and
// then the vertices that are in the largest tree of a sample need not look at the others: those outside of
// it do.
//
// Between ranks a tree is the least number of its vertices. A rank sends one pair for each tree that it has
// joined to another one by its arcs: a forest, which has at most as many edges as trees lie at its boundary.
// The first rank has some 50 bytes for each: little but where hardly any vertex has a neighbour on its own
// rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agm/ghosts.hpp"
#include "graph/csr.hpp"
#include "harness/random.hpp"
#include "harness/team.hpp"

namespace goodsyard::agm {

/// Numbers from 0 in disjoint sets, each of which has its least number as name (Tarjan 1975).
class DisjointSets {
  public:
    void begin(std::size_t count) {
        above_.resize(count);
        std::iota(above_.begin(), above_.end(), graph::Vertex{0});
    }
    /// One more number, in a set of its own.
    void append() { above_.push_back(static_cast<graph::Vertex>(above_.size())); }
    [[nodiscard]] graph::Vertex find(graph::Vertex number) {
        while (above_[number] != number) {
            above_[number] = above_[above_[number]];
            number = above_[number];
        }
        return number;
    }
    /// Whether they were apart.
    bool unite(graph::Vertex first, graph::Vertex second) {
        first = find(first);
        second = find(second);
        above_[std::max(first, second)] = std::min(first, second);
        return first != second;
    }

  private:
    std::vector<graph::Vertex> above_;
};

/// The same of any labels.
class DisjointLabels {
  public:
    bool unite(graph::Vertex first, graph::Vertex second) { return sets_.unite(at(first), at(second)); }
    /// The least label that `label` was united with.
    [[nodiscard]] graph::Vertex least(graph::Vertex label) {
        const auto entry = places_.find(label);
        return entry == places_.end() ? label : least_[sets_.find(entry->second)];
    }
    /// After the last union.
    void settle() {
        for (graph::Vertex place = 0; place < least_.size(); ++place) {
            graph::Vertex& least = least_[sets_.find(place)];
            least = std::min(least, least_[place]);
        }
    }

  private:
    graph::Vertex at(graph::Vertex label) {
        const auto [entry, is_new] = places_.try_emplace(label, static_cast<graph::Vertex>(least_.size()));
        if (is_new) {
            least_.push_back(label);
            sets_.append();
        }
        return entry->second;
    }

    std::unordered_map<graph::Vertex, graph::Vertex> places_;
    std::vector<graph::Vertex> least_;
    DisjointSets sets_;
};

class UnitedComponents {
  public:
    /// Collective: ranks make it in the same order as channels. Rows are in the order of neighbours.
    UnitedComponents(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime)
        : team_(team), graph_(graph), runtime_(runtime), ghosts_(team, graph, runtime) {}

    /// Collective.
    void run() {
        unite_own();
        if (team_.size() > 1) {
            join_ranks();
        }
        labels_.resize(graph_.count());
    }
    /// The least number of a vertex of the component, of each own vertex.
    [[nodiscard]] const std::vector<graph::Vertex>& labels() const { return labels_; }

  private:
    static constexpr std::size_t sampled_neighbours = 2;

    struct Pair {
        graph::Vertex first;
        graph::Vertex second;
    };

    void unite_own() {
        const std::size_t count = graph_.count();
        sets_.begin(count);
        for (std::size_t local = 0; local < count; ++local) {
            unite(local, 0, sampled_neighbours);
        }
        const graph::Vertex largest = largest_of_sample();
        for (std::size_t local = 0; local < count; ++local) {
            if (sets_.find(static_cast<graph::Vertex>(local)) != largest) {
                unite(local, sampled_neighbours, graph_.degree(local));
            }
        }
        runtime_.charge(Work::comparison, static_cast<double>(graph_.targets.size()));
        label_own();
    }
    /// With the neighbours on this rank from `first` on, up to `end`.
    void unite(std::size_t local, std::size_t first, std::size_t end) {
        const std::span<const graph::Vertex> row = graph_.own_part(graph_.neighbours(local));
        for (std::size_t i = first; i < std::min(end, row.size()); ++i) {
            sets_.unite(static_cast<graph::Vertex>(local),
                        static_cast<graph::Vertex>(graph_.owners.local(row[i])));
        }
    }
    /// The tree that most of the vertices of a sample are in; none is as good where there is no vertex.
    [[nodiscard]] graph::Vertex largest_of_sample() {
        constexpr std::uint64_t drawn = 1024;
        std::vector<graph::Vertex> trees;
        const Random random(1);
        for (std::uint64_t i = 0; graph_.count() > 0 && i < drawn; ++i) {
            trees.push_back(sets_.find(static_cast<graph::Vertex>(random.below(graph_.count(), i))));
        }
        std::ranges::sort(trees);
        graph::Vertex largest = graph::no_vertex;
        std::ptrdiff_t most = 0;
        for (auto tree = trees.begin(); tree != trees.end();) {
            const auto next = std::upper_bound(tree, trees.end(), *tree);
            if (next - tree > most) {
                most = next - tree;
                largest = *tree;
            }
            tree = next;
        }
        return largest;
    }
    /// A tree has the least number of its vertices, which is that of its first place where numbers ascend.
    void label_own() {
        labels_.resize(ghosts_.size());
        const graph::Owners owners = graph_.owners;
        const auto number = [&](std::size_t local) {
            return static_cast<graph::Vertex>(owners.number(graph_.vertex(local)));
        };
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            const graph::Vertex root = sets_.find(static_cast<graph::Vertex>(local));
            labels_[local] = root == local ? number(local) : labels_[root];
            if (!owners.ascend() && number(local) < labels_[root]) {
                labels_[root] = number(local);
            }
        }
        for (std::size_t local = 0; !owners.ascend() && local < graph_.count(); ++local) {
            labels_[local] = labels_[sets_.find(static_cast<graph::Vertex>(local))];
        }
    }
    void join_ranks() {
        ghosts_.exchange(labels_);
        std::vector<std::vector<Pair>> pairs(graph_.owners.ranks());
        pairs[0] = forest();
        const std::vector<std::vector<Pair>> forests = team_.exchanged(pairs);
        std::vector<std::vector<Pair>> answers(graph_.owners.ranks());
        if (team_.is_root()) {
            answers = united(forests);
        }
        std::unordered_map<graph::Vertex, graph::Vertex> joined;
        const std::vector<std::vector<Pair>> arrived = team_.exchanged(answers);
        for (const Pair& pair : arrived[0]) {
            joined[pair.first] = pair.second;
        }
        for (std::size_t local = 0; !joined.empty() && local < graph_.count(); ++local) {
            if (const auto entry = joined.find(labels_[local]); entry != joined.end()) {
                labels_[local] = entry->second;
            }
        }
    }
    /// What arcs to other ranks join. Most of them join the trees that the arc before has joined.
    [[nodiscard]] std::vector<Pair> forest() {
        DisjointLabels trees;
        std::vector<Pair> pairs;
        Pair last{graph::no_vertex, graph::no_vertex};
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            for (std::uint64_t i = graph_.begin[local]; i < graph_.begin[local + 1]; ++i) {
                const std::size_t place = ghosts_.places()[i];
                if (place < graph_.count() ||
                    (labels_[local] == last.first && labels_[place] == last.second)) {
                    continue;
                }
                last = {labels_[local], labels_[place]};
                if (trees.unite(last.first, last.second)) {
                    pairs.push_back(last);
                }
            }
        }
        return pairs;
    }
    /// Of each rank, the labels that it has sent, and what they become.
    [[nodiscard]] static std::vector<std::vector<Pair>>
    united(const std::vector<std::vector<Pair>>& forests) {
        DisjointLabels trees;
        for (const std::vector<Pair>& forest : forests) {
            for (const Pair& pair : forest) {
                trees.unite(pair.first, pair.second);
            }
        }
        trees.settle();
        std::vector<std::vector<Pair>> answers(forests.size());
        for (std::size_t rank = 0; rank < forests.size(); ++rank) {
            for (const Pair& pair : forests[rank]) {
                answers[rank].push_back({pair.first, trees.least(pair.first)});
                answers[rank].push_back({pair.second, trees.least(pair.second)});
            }
        }
        return answers;
    }

    const Team& team_;
    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    Ghosts<graph::Vertex> ghosts_;
    DisjointSets sets_;                 ///< Of places.
    std::vector<graph::Vertex> labels_; ///< Of own vertices, and copies.
};

} // namespace goodsyard::agm
