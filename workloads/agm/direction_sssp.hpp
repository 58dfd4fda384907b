// Shortest paths that turn around where heavy edges are many.
//
// Chakaravarthy, Checconi, Petrini, Sabharwal: Scalable single source shortest path algorithms for massively
// parallel systems, IPDPS 2014, DOI 10.1109/IPDPS.2014.96 (edge classification, push and pull).
// Light edges are told class by class, as in sssp.hpp. When nothing is left of these, heavy edges are looked
// at in whichever direction looks at fewer: vertices that came nearer tell their neighbours, or vertices ask
// those over which they may come nearer. Rows are in order of weight: if a is the least distance of vertices
// that came nearer, a vertex at distance d has no use for edges from a weight of d - a on. Where most are
// near, that is nearly all. What came nearer then tells its light edges, until nothing comes nearer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ranges>
#include <vector>

#include "agm/machine.hpp"
#include "agm/sssp.hpp"
#include "harness/team.hpp"

namespace workloads::agm {

/// Over light edges alone. A vertex without any has its distance and nothing else to do: items for it are not
/// kept.
class LightSssp : public Sssp {
  public:
    /// Row i of `graph` has light edges up to `ends[i]`; both outlive this.
    LightSssp(const graph::Csr& graph, std::span<const std::uint64_t> ends)
        : Sssp(graph, ends), owners_(graph.owners), has_edges_(ends.size() / word + 1) {
        for (std::size_t local = 0; local < ends.size(); local++) {
            has_edges_[local / word] |= std::uint64_t{ends[local] > graph.begin[local]} << (local % word);
        }
    }

    [[nodiscard]] bool has_edges(std::size_t local) const {
        return ((has_edges_[local / word] >> (local % word)) & 1U) != 0;
    }
    [[nodiscard]] bool has_work(const Item& item) const { return has_edges(owners_.local(item.vertex)); }

  private:
    static constexpr std::size_t word = 64;

    const graph::Owners owners_;
    std::vector<std::uint64_t> has_edges_; ///< A bit for each vertex.
};

class DirectionSssp {
  public:
    /// Rows of `graph` are in order of weight; `light` is the largest weight of a light edge. Collective.
    DirectionSssp(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime, const Orders& orders,
                  float light)
        : team_(team), graph_(graph), runtime_(runtime), light_(light), heavy_(heavy_begins(graph, light)),
          sssp_(graph, heavy_), machine_(runtime, graph, sssp_, orders), questions_(runtime),
          answers_(runtime) {
        questions_.on_receipt([this](const Question& question) { answer(question); });
        answers_.on_receipt([this](const Sssp::Item& item) { receive(item); });
    }

    /// Distances and parents from a source. Collective.
    void run(graph::Vertex root) {
        told_.assign(graph_.count(), std::numeric_limits<float>::infinity());
        machine_.run(sssp_.begin(root));
        while (relax_heavy()) {
            const auto is_told = [this](std::size_t local) { return came_nearer(local); };
            const auto item = [this](std::size_t local) { return item_of(local); };
            machine_.run(std::views::iota(std::size_t{0}, graph_.count()) | std::views::filter(is_told) |
                         std::views::transform(item));
        }
    }

    /// Infinite where there is no path.
    [[nodiscard]] const std::vector<float>& distances() const { return sssp_.distances(); }
    /// The root is its own; no_vertex where there is no path.
    [[nodiscard]] const std::vector<graph::Vertex>& parents() const { return sssp_.parents(); }

  private:
    /// May the vertex `asker`, at `distance`, come nearer over an edge of `weight` from `vertex`?
    struct Question {
        graph::Vertex vertex;
        graph::Vertex asker;
        float weight;
        float distance;
    };
    static constexpr std::size_t piece = 64; ///< Vertices between two looks for messages.
    static constexpr std::size_t ahead =
        12; ///< Vertices between one and the one whose row is brought nearer.

    static std::vector<std::uint64_t> heavy_begins(const graph::Csr& graph, float light) {
        std::vector<std::uint64_t> begins(graph.count());
        for (std::size_t local = 0; local < begins.size(); local++) {
            const auto weights = graph.weights_of(local);
            const auto heavy = std::upper_bound(weights.begin(), weights.end(), light);
            begins[local] = graph.begin[local] + static_cast<std::uint64_t>(heavy - weights.begin());
        }
        return begins;
    }
    [[nodiscard]] std::uint64_t heavy_degree(std::size_t local) const {
        return graph_.begin[local + 1] - heavy_[local];
    }

    /// Every heavy edge of a vertex that came nearer. Returns whether there was any. Collective.
    bool relax_heavy() {
        const std::uint64_t told = team_.all(Fold::sum, find_tellers());
        if (told == 0) {
            return false;
        }
        least_ = static_cast<float>(team_.all(Fold::min, static_cast<double>(least_)));
        // To find out who asks takes a look at every vertex.
        if (told > graph_.owners.vertices() && team_.all(Fold::sum, arcs_of_askers()) < told) {
            take_askers();
            over_rows([this](std::size_t local) { ask(local); });
        } else {
            over_rows([this](std::size_t local) { tell(local); });
        }
        return true;
    }

    /// `work` on the vertices of `rows_` in an epoch, whose heavy edges are brought nearer before.
    /// Collective.
    template <class Work>
    void over_rows(Work work) {
        runtime_.epoch_over(rows_.size(), piece, [&](std::size_t i) {
            if (i + ahead < rows_.size()) {
                __builtin_prefetch(graph_.targets.data() + heavy_[rows_[i + ahead]]);
                __builtin_prefetch(graph_.weights.data() + heavy_[rows_[i + ahead]]);
            }
            work(rows_[i]);
        });
    }

    /// Vertices whose heavy edges have not been looked at with their distance. Returns how many these have.
    std::uint64_t find_tellers() {
        rows_.clear();
        std::uint64_t arcs = 0;
        least_ = std::numeric_limits<float>::infinity();
        for (std::size_t local = 0; local < graph_.count(); local++) {
            const float distance = distances()[local];
            if (distance == told_[local]) {
                continue;
            }
            told_[local] = distance;
            if (heavy_degree(local) > 0) {
                rows_.push_back(static_cast<graph::Vertex>(local));
                arcs += heavy_degree(local);
                least_ = std::min(least_, distance);
            }
        }
        return arcs;
    }

    /// Whether a vertex at `distance` may come nearer over an edge of `weight`. Sums are rounded as those of
    /// paths are, which keeps their order.
    [[nodiscard]] bool may_help(float weight, float distance) const { return least_ + weight < distance; }

    /// Whether a vertex may have a heavy edge to ask over.
    [[nodiscard]] bool may_ask(std::size_t local) const {
        return may_help(light_, distances()[local]) && heavy_degree(local) > 0;
    }
    /// As many as vertices may ask over at most.
    [[nodiscard]] std::uint64_t arcs_of_askers() const {
        std::uint64_t arcs = 0;
        for (std::size_t local = 0; local < graph_.count(); local++) {
            arcs += may_ask(local) ? heavy_degree(local) : 0;
        }
        return arcs;
    }
    void take_askers() {
        rows_.clear();
        for (std::size_t local = 0; local < graph_.count(); local++) {
            if (may_ask(local)) {
                rows_.push_back(static_cast<graph::Vertex>(local));
            }
        }
    }

    /// Whether a vertex came nearer over heavy edges, and has light ones to tell it along.
    [[nodiscard]] bool came_nearer(std::size_t local) const {
        return distances()[local] != told_[local] && sssp_.has_edges(local);
    }
    [[nodiscard]] Sssp::Item item_of(std::size_t local) const {
        return {graph_.vertex(local), parents()[local], distances()[local], 0};
    }

    void tell(std::size_t local) {
        const graph::Vertex vertex = graph_.vertex(local);
        const float distance = distances()[local];
        for (std::uint64_t i = heavy_[local]; i < graph_.begin[local + 1]; i++) {
            offer({graph_.targets[i], vertex, distance + graph_.weights[i], 0});
        }
    }
    void ask(std::size_t local) {
        const graph::Vertex asker = graph_.vertex(local);
        for (std::uint64_t i = heavy_[local]; i < graph_.begin[local + 1]; i++) {
            const Question question{graph_.targets[i], asker, graph_.weights[i], distances()[local]};
            if (!may_help(question.weight, question.distance)) {
                return;
            }
            if (graph_.owns(question.vertex)) {
                answer(question);
            } else {
                questions_.send(static_cast<int>(graph_.owners.owner(question.vertex)), question);
            }
        }
    }
    void answer(const Question& question) {
        runtime_.charge(Work::comparison, 1);
        const float distance = distances()[graph_.owners.local(question.vertex)] + question.weight;
        if (distance < question.distance) {
            offer({question.asker, question.vertex, distance, 0});
        } else {
            runtime_.counters().rejected++;
        }
    }
    void offer(const Sssp::Item& item) {
        if (graph_.owns(item.vertex)) {
            receive(item);
        } else {
            answers_.send(static_cast<int>(graph_.owners.owner(item.vertex)), item);
        }
    }
    void receive(const Sssp::Item& item) {
        runtime_.charge(Work::comparison, 1);
        if (!sssp_.receive(item)) {
            runtime_.counters().rejected++;
        }
    }

    const Team& team_;
    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    const float light_;
    const std::vector<std::uint64_t> heavy_; ///< Where the heavy edges of an own vertex begin.
    LightSssp sssp_;
    Machine<LightSssp> machine_;
    runtime::Channel<Question> questions_;
    runtime::Channel<Sssp::Item> answers_;
    std::vector<float> told_;         ///< The distance with which heavy edges were looked at.
    std::vector<graph::Vertex> rows_; ///< Own vertices, by their places, whose heavy edges are looked at.
    float least_ = 0;                 ///< Distance of a teller on any rank.
};

} // namespace workloads::agm
