// What the command line of `graph` asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agm/order.hpp"
#include "graph/owners.hpp"
#include "harness/computation.hpp"
#include "harness/options.hpp"
#include "runtime/parameters.hpp"

namespace goodsyard::graph {

enum class Verb : int { sssp, bfs, cc, pagerank, kcore, bc, mis, colour, triangles, generate };

enum class Own : int {
    by_execution, ///< At once where items are run by handlers, sent where they are tasks.
    at_once,
    sent,
};

/// How PageRank and components go over edges.
enum class Method : int {
    by_input, ///< Read, but for what only work items have.
    pull,     ///< Shares of neighbours are read, remote ones from copies.
    items,    ///< A work item an edge.
    unite,    ///< Union-find within ranks, then between them.
};

struct Input {
    std::string generator = "graph500"; ///< Or rmat1, rmat2, uniform, lattice, or a file.
    int scale = 10;
    std::uint64_t largest_weight = 0; ///< 0: 255, of rmat2 100, as in the paper.
    std::uint64_t seed = 2;
};

/// Neighbours that a delegate of agm::TaskBfs can claim.
inline constexpr int largest_batch = 48;

struct Asked {
    Verb verb = Verb::sssp;
    Input input;
    std::string order = "usual";
    std::string local_order = "chaotic";
    std::string node_order = "chaotic";
    double delta = 0; ///< 0: as the weights are.
    int k = 1;
    bool optimises_direction = false; ///< Of sssp, bfs (whose orders then do not matter) and cc.
    bool filters = true;              ///< Of sssp: what other ranks have been sent is remembered.
    double light = 0;                 ///< The largest weight of a light edge; 0: as the weights are.
    bool blocks = false;              ///< Of bfs and bc: tasks that wait for delegates, and have no orders.
    int batch = 0;                    ///< Of bfs by tasks: claims of a delegate, at most; 0: as a loop has.
    Dealing dealing = Dealing::cyclic;
    Own own = Own::by_execution;
    int sources = 1;
    std::vector<std::string> roots; ///< In place of drawn sources.
    int repetitions = 1;
    double tolerance = 1e-4; ///< Of PageRank: sum of changes in the last iteration.
    int iterations = 100;    ///< Of PageRank, at most.
    Method method = Method::by_input;
    bool is_directed = false;   ///< Of PageRank: edges lead from source to target.
    bool is_undirected = false; ///< Those of a file that says so lead both ways nevertheless.
    bool validate = false;
    bool hash = false;
    std::string output; ///< File for drawn edges, or for what was found of each vertex.
    ComputeMode compute = ComputeMode::off;
    std::string rates;
    double compute_times = 1; ///< So many times as long does every operation take.
    runtime::Parameters runtime;
};

/// Whether an algorithm starts from a source.
bool has_sources(Verb verb);

/// Whether PageRank reads shares: where not asked, unless items have a direction, a cache, a way of their
/// own, or are tasks. Of a settled request.
bool pulls(const Asked& request);

/// Declare what the algorithm has of them; `asked` must outlive `options`.
void declare(Options& options, Asked& request);

} // namespace goodsyard::graph
