// Shortest paths that turn around where heavy edges are many.
//
// Chakaravarthy, Checconi, Petrini, Sabharwal: Scalable single source shortest path algorithms for massively
// parallel systems, IPDPS 2014, DOI 10.1109/IPDPS.2014.96 (edge classification, push and pull).
// Light edges are told class by class, as in sssp.hpp. When nothing is left of these, heavy edges are looked
// at in whichever direction looks at fewer: vertices that came nearer tell their neighbours, or vertices ask
// those over which they may come nearer. Rows are in order of weight: if a is the least distance of vertices
// that came nearer, a vertex at distance d has no use for edges from a weight of d - a on. Where most are
// near, that is nearly all. What came nearer then tells its light edges, until nothing comes nearer.
//
// Where the distances of all vertices are few beside the rows of a rank, each rank keeps what it knows of
// those of others: it sends nothing that is not below what it has sent or heard, and asks itself, after those
// that came nearer have been made known to all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "agm/machine.hpp"
#include "agm/sssp.hpp"
#include "harness/team.hpp"

namespace goodsyard::agm {

/// Over light edges alone. A vertex without any has its distance and nothing else to do: items for it are not
/// kept.
class LightSssp {
  public:
    using Item = Sssp::Item;
    using Kept = Sssp::Kept;

    /// Row i of `graph` has light edges up to `ends[i]`; both outlive this. `copies`: of the distances of
    /// other ranks, as far as they are known here.
    LightSssp(const graph::Csr& graph, std::span<const std::uint64_t> ends, bool copies)
        : sssp_(graph, ends, copies), ends_(ends), owners_(graph.owners), rank_(graph.rank),
          has_edges_(ends.size() / word + 1), changed_(has_edges_.size()),
          values_(copies ? graph.owners.ranks() : 0) {
        for (std::size_t local = 0; local < ends.size(); ++local) {
            has_edges_[local / word] |= std::uint64_t{ends[local] > graph.begin[local]} << (local % word);
        }
    }

    std::vector<Item> begin(graph::Vertex root) {
        std::vector<Item> first = sssp_.begin(root);
        std::ranges::fill(changed_, 0);
        for (const Item& item : first) {
            mark_changed(item);
        }
        for (std::size_t rank = 0; rank < values_.size(); ++rank) {
            values_[rank] = (rank == rank_ ? distances() : sssp_.remote().of_ranks()[rank]).data();
        }
        return first;
    }

    class View : public Sssp::View {
      public:
        explicit View(LightSssp& light)
            : Sssp::View(light.sssp_), ends_(light.ends_.data()), has_edges_(light.has_edges_.data()),
              changed_(light.changed_.data()) {}

        // Views are called by their own type.
        // NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
        [[nodiscard]] bool receive(const Item& item, std::size_t local) const {
            if (!Sssp::View::receive(item, local)) {
                return false;
            }
            changed_[local / word] |= std::uint64_t{1} << (local % word);
            return true;
        }
        [[gnu::always_inline]] void prefetch_begin(const Kept& item) const {
            Sssp::View::prefetch_begin(item);
            __builtin_prefetch(ends_ + item.local);
        }
        // NOLINTEND(bugprone-derived-method-shadowing-base-method)
        [[nodiscard]] bool has_work(std::size_t local) const {
            return ((has_edges_[local / word] >> (local % word)) & 1U) != 0;
        }

      private:
        const std::uint64_t* ends_;
        const std::uint64_t* has_edges_;
        std::uint64_t* changed_;
    };
    [[nodiscard]] View view() { return View(*this); }
    bool receive(const Item& item) { return view().receive(item, owners_.local(item.vertex)); }
    static Key key(const Order& order, const auto& item) { return Sssp::key(order, item); }
    [[nodiscard]] const std::vector<float>& distances() const { return sssp_.distances(); }
    [[nodiscard]] const std::vector<graph::Vertex>& parents() const { return sssp_.parents(); }

    bool is_news(const Item& item) { return sssp_.is_news(item); }
    /// A distance on another rank.
    void hear(graph::Vertex vertex, float distance) { sssp_.remote().hear(vertex, distance); }
    /// The distance of a vertex of any rank, or more than it.
    [[nodiscard]] float known(graph::Vertex vertex) const {
        return values_[owners_.owner(vertex)][owners_.local(vertex)];
    }

    /// `visit` with every own vertex that came nearer since it was taken last, in ascending order.
    template <class Visit>
    void take_changed(Visit visit) {
        for (std::size_t i = 0; i < changed_.size(); ++i) {
            for_bits(i, std::exchange(changed_[i], 0), visit);
        }
    }
    /// `visit` with those that have light edges, which stay.
    template <class Visit>
    void for_changed_with_edges(Visit visit) const {
        for (std::size_t i = 0; i < changed_.size(); ++i) {
            for_bits(i, changed_[i] & has_edges_[i], visit);
        }
    }

  private:
    static constexpr std::size_t word = 64;

    template <class Visit>
    static void for_bits(std::size_t i, std::uint64_t bits, Visit& visit) {
        for (; bits != 0; bits &= bits - 1) {
            visit(i * word + static_cast<std::size_t>(std::countr_zero(bits)));
        }
    }
    void mark_changed(const Item& item) {
        const std::size_t local = owners_.local(item.vertex);
        changed_[local / word] |= std::uint64_t{1} << (local % word);
    }

    Sssp sssp_;
    std::span<const std::uint64_t> ends_;
    const graph::Owners owners_;
    const std::size_t rank_;
    std::vector<std::uint64_t> has_edges_; ///< A bit for each vertex.
    std::vector<std::uint64_t> changed_;   ///< A bit for each vertex.
    std::vector<const float*> values_;     ///< Distances of each rank's vertices; empty without copies.
};

class DirectionSssp {
  public:
    /// Rows of `graph` are in order of weight; `light` is the largest weight of a light edge. Collective.
    DirectionSssp(const Team& team, const graph::Csr& graph, runtime::Runtime& runtime, const Orders& orders,
                  float light)
        : team_(team), graph_(graph), runtime_(runtime), light_(light),
          copies_(RemoteDistances::fit(team, graph)), heavy_(heavy_begins(graph, light)),
          sssp_(graph, heavy_, copies_), machine_(runtime, graph, sssp_, orders), news_(runtime),
          questions_(runtime), answers_(runtime) {
        news_.on_receipt([this](const News& news) { sssp_.hear(news.vertex, news.distance); });
        questions_.on_receipt([this](const Question& question) { answer(question); });
        answers_.on_receipt([this](const Sssp::Item& item) { receive(item); });
        rows_.reserve(graph.count()); // It need not be copied as it grows, and what is not used is no memory.
    }

    /// Distances and parents from a source. Collective.
    void run(graph::Vertex root) {
        machine_.run(sssp_.begin(root));
        while (relax_heavy()) {
            rows_.clear();
            sssp_.for_changed_with_edges([this](std::size_t local) { add_row(local); });
            const auto item = [this](graph::Vertex local) { return item_of(local); };
            machine_.run(rows_ | std::views::transform(item));
        }
    }

    /// Infinite where there is no path.
    [[nodiscard]] const std::vector<float>& distances() const { return sssp_.distances(); }
    /// The root is its own; no_vertex where there is no path.
    [[nodiscard]] const std::vector<graph::Vertex>& parents() const { return sssp_.parents(); }

  private:
    /// The distance of a vertex that came nearer.
    struct News {
        graph::Vertex vertex;
        float distance;
    };
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
        for (std::size_t local = 0; local < begins.size(); ++local) {
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
        const std::uint64_t reported = team_.all(Fold::sum, find_tellers());
        if (reported == 0) {
            return false;
        }
        least_ = static_cast<float>(team_.all(Fold::min, static_cast<double>(least_)));
        // To find out who asks takes a look at every vertex.
        if (reported > graph_.owners.vertices() && team_.all(Fold::sum, arcs_of_askers()) < reported) {
            if (copies_) {
                spread_news();
                take_askers();
                over_rows([this](std::size_t local) { look(local); });
            } else {
                take_askers();
                over_rows([this](std::size_t local) { ask(local); });
            }
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

    void add_row(std::size_t local) { rows_.push_back(static_cast<graph::Vertex>(local)); }

    /// Vertices whose heavy edges have not been looked at with their distance. Returns how many these have.
    std::uint64_t find_tellers() {
        rows_.clear();
        std::uint64_t arcs = 0;
        least_ = std::numeric_limits<float>::infinity();
        sssp_.take_changed([&](std::size_t local) {
            if (heavy_degree(local) > 0) {
                add_row(local);
                arcs += heavy_degree(local);
                least_ = std::min(least_, distances()[local]);
            }
        });
        return arcs;
    }

    /// The distances of those that tell, to all ranks. Collective.
    void spread_news() {
        runtime_.epoch_over(rows_.size(), piece, [this](std::size_t i) {
            const News news{graph_.vertex(rows_[i]), distances()[rows_[i]]};
            for (std::size_t rank = 0; rank < graph_.owners.ranks(); ++rank) {
                if (rank != graph_.rank) {
                    news_.send(static_cast<int>(rank), news);
                }
            }
        });
    }

    /// Whether a vertex at `distance` may come nearer over an edge of `weight`. Sums are rounded as those of
    /// paths are, which keeps their order.
    [[nodiscard]] bool may_help(float weight, float distance) const { return least_ + weight < distance; }

    /// Whether a vertex may have a heavy edge to ask over.
    [[nodiscard]] bool may_ask(std::size_t local) const {
        const bool is_far = may_help(light_, distances()[local]);
        const bool has_heavy = heavy_degree(local) > 0;
        return is_far && has_heavy;
    }
    /// As many as vertices may ask over at most.
    [[nodiscard]] std::uint64_t arcs_of_askers() const {
        std::uint64_t arcs = 0;
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            arcs += may_ask(local) ? heavy_degree(local) : 0;
        }
        return arcs;
    }
    void take_askers() {
        rows_.resize(graph_.count());
        std::size_t count = 0;
        for (std::size_t local = 0; local < graph_.count(); ++local) {
            rows_[count] = static_cast<graph::Vertex>(local); // No branch: it cannot be predicted.
            count += may_ask(local) ? 1 : 0;
        }
        rows_.resize(count);
    }

    [[nodiscard]] Sssp::Item item_of(std::size_t local) const {
        return {graph_.vertex(local), parents()[local], distances()[local], 0};
    }

    void tell(std::size_t local) {
        const graph::Vertex vertex = graph_.vertex(local);
        const float distance = distances()[local];
        for (std::uint64_t i = heavy_[local]; i < graph_.begin[local + 1]; ++i) {
            offer({graph_.targets[i], vertex, distance + graph_.weights[i], 0});
        }
    }
    void ask(std::size_t local) {
        const graph::Vertex asker = graph_.vertex(local);
        for (std::uint64_t i = heavy_[local]; i < graph_.begin[local + 1]; ++i) {
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
    /// The same, where the distances that would be asked for are known here.
    void look(std::size_t local) {
        float nearest = distances()[local];
        graph::Vertex parent = graph::no_vertex;
        std::uint64_t i = heavy_[local];
        for (; i < graph_.begin[local + 1] && may_help(graph_.weights[i], nearest); ++i) {
            const float distance = sssp_.known(graph_.targets[i]) + graph_.weights[i];
            if (distance < nearest) {
                nearest = distance;
                parent = graph_.targets[i];
            }
        }
        const std::uint64_t looked = i - heavy_[local];
        runtime_.charge(Work::comparison, static_cast<double>(looked));
        if (parent == graph::no_vertex) {
            runtime_.counters().rejected += looked;
            return;
        }
        runtime_.counters().rejected += looked - 1;
        sssp_.receive({graph_.vertex(local), parent, nearest, 0});
    }
    void answer(const Question& question) {
        runtime_.charge(Work::comparison, 1);
        const float distance = distances()[graph_.owners.local(question.vertex)] + question.weight;
        if (distance < question.distance) {
            offer({question.asker, question.vertex, distance, 0});
        } else {
            ++runtime_.counters().rejected;
        }
    }
    void offer(const Sssp::Item& item) {
        if (graph_.owns(item.vertex)) {
            receive(item);
        } else if (sssp_.is_news(item)) {
            answers_.send(static_cast<int>(graph_.owners.owner(item.vertex)), item);
        } else {
            ++runtime_.counters().rejected;
        }
    }
    void receive(const Sssp::Item& item) {
        runtime_.charge(Work::comparison, 1);
        if (!sssp_.receive(item)) {
            ++runtime_.counters().rejected;
        }
    }

    const Team& team_;
    const graph::Csr& graph_;
    runtime::Runtime& runtime_;
    const float light_;
    const bool copies_;                      ///< Of the distances of other ranks.
    const std::vector<std::uint64_t> heavy_; ///< Where the heavy edges of an own vertex begin.
    LightSssp sssp_;
    Machine<LightSssp> machine_;
    runtime::Channel<News> news_;
    runtime::Channel<Question> questions_;
    runtime::Channel<Sssp::Item> answers_;
    std::vector<graph::Vertex> rows_; ///< Own vertices, by their places, whose heavy edges are looked at.
    float least_ = 0;                 ///< Distance of a teller on any rank.
};

} // namespace goodsyard::agm
