#include "graph/validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graph/lookup.hpp"

namespace goodsyard::graph {

namespace {

class Validator {
  public:
    Validator(const Team& team, const Edges& edges, const Tree& tree)
        : team_(team), edges_(edges), tree_(tree), rank_(static_cast<std::size_t>(team.rank())) {}

    std::optional<std::string> violation() {
        check_root();
        check_cycles();
        check_edges();
        return found_;
    }

  private:
    struct Ends {
        float distance = 0;
        Vertex parent = no_vertex;
    };

    void found(const std::string& subject) {
        if (!found_) {
            found_ = subject;
        }
    }
    [[nodiscard]] std::string name(Vertex vertex) const {
        return "vertex " + std::to_string(tree_.owners.number(vertex));
    }
    [[nodiscard]] bool is_in(std::size_t local) const { return tree_.parents[local] != no_vertex; }

    /// Of rule 4: the root is in its tree, as its own parent; who has a parent has a distance.
    void check_root() {
        const std::size_t root = tree_.owners.local(tree_.root);
        if (tree_.owners.owner(tree_.root) == rank_ &&
            (tree_.parents[root] != tree_.root || tree_.distances[root] != 0)) {
            found("the root is not its own parent, at distance 0");
        }
        for (std::size_t local = 0; local < tree_.parents.size(); ++local) {
            if (is_in(local) != std::isfinite(tree_.distances[local])) {
                found(name(tree_.owners.at(rank_, local)) + " has a parent or a distance, and not both");
            }
        }
    }

    /// Rule 1, by doubling: after i rounds every vertex points to its ancestor 2^i steps above.
    void check_cycles() {
        std::vector<Vertex> above(tree_.parents.begin(), tree_.parents.end());
        std::uint64_t steps = 1;
        while (true) {
            std::uint64_t below_root = 0;
            std::vector<Vertex> target;
            for (Vertex& vertex : above) {
                below_root += vertex != no_vertex && vertex != tree_.root ? 1 : 0;
                target.push_back(vertex == no_vertex ? tree_.root : vertex);
            }
            if (team_.all(Fold::sum, below_root) == 0) {
                return;
            }
            if (steps >= tree_.owners.vertices()) {
                if (below_root > 0) {
                    found("following parents does not lead to the root");
                }
                return;
            }
            const std::vector<Vertex> next =
                lookup(team_, tree_.owners, target, [&](std::size_t local) { return above[local]; });
            for (std::size_t local = 0; local < above.size(); ++local) {
                above[local] = above[local] == no_vertex ? no_vertex : next[local];
            }
            steps *= 2;
        }
    }

    /// Rules 2 to 5, in one pass over the edges of the input.
    void check_edges() {
        joined_.assign(tree_.parents.size(), false);
        const std::uint64_t rounds = team_.all(Fold::max, (edges_.own() + batch - 1) / batch);
        std::vector<Edge> some;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            const std::uint64_t first = std::min(round * batch, edges_.own());
            some.resize(std::min(batch, edges_.own() - first));
            edges_.read(first, some);
            check_batch(some);
        }
        for (std::size_t local = 0; local < joined_.size(); ++local) {
            const Vertex vertex = tree_.owners.at(rank_, local);
            if (is_in(local) && vertex != tree_.root && !joined_[local]) {
                found("no edge of the input joins " + name(vertex) + " and its parent over its distance");
            }
        }
    }

    void check_batch(const std::vector<Edge>& some) {
        std::vector<Vertex> target;
        for (const Edge& edge : some) {
            target.push_back(tree_.owners.vertex(edge.source));
            target.push_back(tree_.owners.vertex(edge.target));
        }
        const std::vector<Ends> ends = lookup(team_, tree_.owners, target, [&](std::size_t local) {
            return Ends{tree_.distances[local], tree_.parents[local]};
        });
        std::vector<std::vector<Vertex>> children(tree_.owners.ranks());
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const std::size_t second = i ^ 1U;
            const float weight = tree_.unit_weights ? 1.0F : some[i / 2].weight;
            const float over = ends[second].distance + weight; // What algorithms compute, to the bit.
            if (target[i] == target[second]) {
                continue;
            }
            if ((ends[i].parent == no_vertex) != (ends[second].parent == no_vertex)) {
                found("an edge leads out of the tree, from " + name(target[i]) + " to " +
                      name(target[second]));
            }
            if (ends[i].distance > over) {
                found(name(target[i]) + " is nearer by its edge to " + name(target[second]));
            }
            if (ends[i].parent == target[second] && ends[i].distance == over) {
                children[tree_.owners.owner(target[i])].push_back(target[i]);
            }
        }
        for (const std::vector<Vertex>& arrived : team_.exchanged(children)) {
            for (const Vertex child : arrived) {
                joined_[tree_.owners.local(child)] = true;
            }
        }
    }

    const Team& team_;
    const Edges& edges_;
    const Tree& tree_;
    std::size_t rank_;
    std::vector<bool> joined_; ///< By an edge to its parent.
    std::optional<std::string> found_;
};

} // namespace

std::optional<std::string> violation(const Team& team, const Edges& edges, const Tree& tree) {
    return Validator(team, edges, tree).violation();
}

} // namespace goodsyard::graph
