#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <set>

#include "agm/classes.hpp"
#include "agm/current.hpp"
#include "agm/ghosts.hpp"
#include "graph/kernel.hpp"
#include "graph_inputs.hpp"
#include "harness/checksum.hpp"
#include "runtime/simulated_network.hpp"

namespace goodsyard::graph {
namespace {

using runtime::Execution;

const Computation no_time(ComputeMode::off, "");

/// What the first rank is told of a run, by name.
using Facts = std::map<std::string, double>;

/// Run what is asked for on so many simulated ranks from one source, and validate it.
Facts run(const Example& example, Asked request, int ranks, std::uint64_t root = 0, std::uint64_t seed = 1) {
    request.runtime = runtime::settled(request.runtime);
    Facts result;
    runtime::NetworkSettings settings;
    settings.ranks = ranks;
    settings.seed = seed;
    settings.buffer_bytes = runtime::capacity_bytes(request.runtime);
    runtime::SimulatedNetwork(settings).run([&](const Team& team, runtime::Transport& transport) {
        const ListedEdges edges(team, example.vertices, example.edges);
        const Csr graph = build(team, edges, row_order(request), Arcs::both_ways, request.dealing);
        runtime::Runtime runtime(transport, request.runtime, no_time);
        const auto kernel = make_kernel({team, edges, graph, runtime}, request);
        kernel->run(graph.owners.vertex(root));
        const auto wrong = kernel->violation(graph.owners.vertex(root));
        EXPECT_FALSE(wrong) << *wrong;
        const std::vector<Fact> facts = kernel->facts();
        const std::vector<Fact> counted = runtime::facts(team, runtime.counters());
        if (team.is_root()) {
            for (const std::vector<Fact>& some : {facts, counted}) {
                for (const Fact& fact : some) {
                    result[fact.metric] = fact.value;
                }
            }
        }
    });
    return result;
}

Asked asked_for(Verb verb, const std::string& order = "usual", Execution execution = Execution::handler,
                std::int64_t buffer_bytes = 64) {
    Asked request;
    request.verb = verb;
    request.order = order;
    request.k = 2;
    request.delta = 3;
    request.runtime.execution = execution;
    request.runtime.buffer_bytes = buffer_bytes;
    return request;
}

/// As kernel.cpp makes it.
template <class Value>
double checksum_of(const std::vector<Value>& values) {
    Checksum all;
    for (std::uint64_t vertex = 0; vertex < values.size(); ++vertex) {
        all.add(mix64(vertex) ^ bits_of(values[vertex]));
    }
    return static_cast<double>(all.mixed >> 11U);
}

const std::vector<std::string> all_orders = {"chaotic", "dijkstra", "delta", "kla", "level"};
const std::vector<Execution> all_executions = {Execution::handler, Execution::fibre, Execution::coroutine};

class OnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, OnRanks, testing::Values(1, 2, 3, 4, 5, 8));

TEST_P(OnRanks, EveryOrderAndExecutionFindsTheDistancesOfDijkstra) {
    const Example example = random_example(60, 150, 7);
    const double paths = checksum_of(serial_distances(example, 0, false));
    const double levels = checksum_of(serial_distances(example, 0, true));
    for (const std::string& order : all_orders) {
        for (const Execution execution : all_executions) {
            for (const std::int64_t bytes : {0, 64}) {
                const Facts sssp = run(example, asked_for(Verb::sssp, order, execution, bytes), GetParam());
                const Facts bfs = run(example, asked_for(Verb::bfs, order, execution, bytes), GetParam());
                EXPECT_EQ(sssp.at("distance_checksum"), paths) << order << static_cast<int>(execution);
                EXPECT_EQ(bfs.at("distance_checksum"), levels) << order << static_cast<int>(execution);
            }
        }
    }
}

TEST_P(OnRanks, ALocalOrderBelowTheGlobalOneChangesNoDistance) {
    const Example example = random_example(80, 240, 3);
    const double paths = checksum_of(serial_distances(example, 0, false));
    for (const std::string& order : std::vector<std::string>{"chaotic", "kla", "delta"}) {
        Asked request = asked_for(Verb::sssp, order);
        request.local_order = "dijkstra";
        EXPECT_EQ(run(example, request, GetParam()).at("distance_checksum"), paths) << order;
    }
}

TEST_P(OnRanks, AnOrderOfANodeBelowTheGlobalOneChangesNoDistance) {
    const Example example = random_example(80, 240, 3);
    const double paths = checksum_of(serial_distances(example, 0, false));
    for (const std::string& order : std::vector<std::string>{"chaotic", "kla", "delta"}) {
        for (const std::string& of_node : std::vector<std::string>{"dijkstra", "delta", "level"}) {
            for (const Execution execution : all_executions) {
                Asked request = asked_for(Verb::sssp, order, execution);
                request.node_order = of_node;
                EXPECT_EQ(run(example, request, GetParam()).at("distance_checksum"), paths)
                    << order << " " << of_node;
            }
        }
    }
}

TEST(NodeOrders, LeaveNoMoreWorkThanOneRankHas) {
    // Of a node with one order for all, no rank goes ahead of the others: items are as few as on one rank.
    const Example example = random_example(300, 3000, 5);
    Asked request = asked_for(Verb::sssp, "chaotic");
    request.node_order = "dijkstra";
    const double together = run(example, request, 4).at("items_useful");
    request.node_order = "chaotic";
    request.local_order = "dijkstra";
    EXPECT_LE(together, run(example, request, 4).at("items_useful"));
}

TEST_P(OnRanks, ItemsForTheRankItselfMayBeSentOrReceivedAtOnce) {
    const Example example = random_example(60, 150, 11);
    const double paths = checksum_of(serial_distances(example, 0, false));
    for (const Own local : {Own::at_once, Own::sent}) {
        for (const Execution execution : all_executions) {
            Asked request = asked_for(Verb::sssp, "delta", execution);
            request.own = local;
            const Facts result = run(example, request, GetParam());
            EXPECT_EQ(result.at("distance_checksum"), paths);
            if (local == Own::at_once && GetParam() == 1) {
                EXPECT_EQ(result.at("items"), 0);
            }
        }
    }
}

TEST_P(OnRanks, TurningTheDirectionRoundFindsTheSameLevels) {
    for (const Example& example : {random_example(300, 4000, 31), random_example(60, 50, 37), torus(6)}) {
        Asked request = asked_for(Verb::bfs);
        request.optimises_direction = true;
        EXPECT_EQ(run(example, request, GetParam()).at("distance_checksum"),
                  checksum_of(serial_distances(example, 0, true)));
    }
}

TEST_P(OnRanks, TurningTheDirectionRoundFindsTheSameDistances) {
    for (const Example& example :
         {random_example(300, 4000, 31), random_example(60, 50, 37), random_example(100, 70, 9), torus(6)}) {
        const double paths = checksum_of(serial_distances(example, 0, false));
        for (const std::string& order : all_orders) {
            for (const double light : {0.0, 1.0, 19.5, 100.0}) { // None but 0, few, most, all.
                Asked request = asked_for(Verb::sssp, order);
                request.optimises_direction = true;
                request.light = light;
                EXPECT_EQ(run(example, request, GetParam()).at("distance_checksum"), paths) << order << light;
            }
        }
    }
}

TEST_P(OnRanks, TurningTheDirectionRoundLooksAtAPartOfTheEdgesOfADenseGraph) {
    const Example example = random_example(100, 4000, 41);
    Asked request = asked_for(Verb::sssp);
    request.delta = 1;
    const Facts reported = run(example, request, GetParam());
    request.optimises_direction = true;
    const Facts asked_for_few = run(example, request, GetParam());
    EXPECT_EQ(reported.at("distance_checksum"), asked_for_few.at("distance_checksum"));
    EXPECT_LT(2 * asked_for_few.at("items_rejected"), reported.at("items_rejected"));
}

TEST_P(OnRanks, TurningTheDirectionRoundKeepsNoItemForAVertexWithoutLightEdges) {
    Example example = random_example(100, 4000, 41);
    for (Edge& edge : example.edges) {
        edge.weight += 1;
    }
    Asked request = asked_for(Verb::sssp);
    request.optimises_direction = true;
    request.light = .5; // No edge is.
    const Facts result = run(example, request, GetParam());
    EXPECT_EQ(result.at("distance_checksum"), checksum_of(serial_distances(example, 0, false)));
    EXPECT_EQ(result.at("items_useful"), 1); // That of the source.
    EXPECT_EQ(result.at("items_superseded"), 0);
}

TEST(OnTwoRanks, ADistanceThatIsNotBelowWhatTheRankHasSaidIsNotSent) {
    // Vertices of even numbers are of one rank: 2 tells vertex 1 a distance of 2, and 4 one of 3.
    Example example{25, {{0, 2, 1}, {0, 4, 2}, {2, 1, 1}, {4, 1, 1}}};
    for (std::uint64_t single = 5; single < 25; ++single) { // Rows that copies of distances are small beside.
        for (std::uint64_t second = 5; second < single; ++second) {
            example.edges.push_back({single, second, 1});
        }
    }
    Asked request = asked_for(Verb::sssp, "dijkstra");
    request.optimises_direction = true;
    request.light = 100; // All edges are.
    const Facts result = run(example, request, 2);
    EXPECT_EQ(result.at("distance_checksum"), checksum_of(serial_distances(example, 0, false)));
    EXPECT_EQ(result.at("items"), 3); // To 1, and from there to 2 and 4.
}

TEST_P(OnRanks, EveryExecutionAsksAndAnswersWithMessagesOfOneItem) {
    const Example example = random_example(80, 600, 43);
    const double paths = checksum_of(serial_distances(example, 0, false));
    for (const Execution execution : all_executions) {
        for (const std::int64_t bytes : {0, 64}) {
            Asked request = asked_for(Verb::sssp, "delta", execution, bytes);
            request.optimises_direction = true;
            EXPECT_EQ(run(example, request, GetParam()).at("distance_checksum"), paths);
        }
    }
}

/// By tasks that wait.
Asked blocking(Verb verb, std::uint64_t active_tasks, std::uint64_t loop_threshold, bool delegates_to_self) {
    Asked request = asked_for(verb, "usual", Execution::fibre, 128);
    request.blocks = true;
    request.runtime.active_tasks = active_tasks;
    request.runtime.loop_threshold = loop_threshold;
    request.runtime.delegates_to_self = delegates_to_self;
    return request;
}

TEST_P(OnRanks, TasksThatWaitFindTheSameLevels) {
    for (const Example& example :
         {random_example(300, 4000, 31), random_example(60, 50, 37), torus(6), Example{1, {}}}) {
        const double levels = checksum_of(serial_distances(example, 0, true));
        for (const auto& [tasks, threshold] : {std::pair{1U, 1U}, {3U, 2U}, {1000U, 32U}}) {
            for (const bool to_self : {false, true}) {
                for (const int batch : {0, 1, 3, largest_batch}) {
                    Asked request = blocking(Verb::bfs, tasks, threshold, to_self);
                    request.batch = batch;
                    const Facts result = run(example, request, GetParam(), 0, tasks);
                    EXPECT_EQ(result.at("distance_checksum"), levels) << tasks << " tasks, " << batch;
                }
            }
        }
    }
}

TEST_P(OnRanks, TasksThatWaitFindTheBetweennessOfTheTorus) {
    for (const auto& [n, expected] : {std::pair{4U, 17.0}, {5U, 36.0}, {8U, 193.0}}) {
        for (const auto& [tasks, threshold] : {std::pair{1U, 1U}, {3U, 2U}, {1000U, 32U}}) {
            const Facts result =
                run(torus(n), blocking(Verb::bc, tasks, threshold, tasks == 3), GetParam(), 1, tasks);
            EXPECT_NEAR(result.at("score_sum"), expected, 1e-9) << tasks << " tasks";
        }
    }
}

TEST_P(OnRanks, ACacheSparesItemsAndChangesNoDistance) {
    const Example example = random_example(20, 400, 5);
    const double paths = checksum_of(serial_distances(example, 0, false));
    for (const runtime::Cache cache : {runtime::Cache::duplicates, runtime::Cache::min}) {
        Asked request = asked_for(Verb::sssp, "chaotic");
        request.own = Own::sent;
        request.runtime.cache = cache;
        const Facts result = run(example, request, GetParam());
        EXPECT_EQ(result.at("distance_checksum"), paths);
        if (cache == runtime::Cache::min) {
            EXPECT_GT(result.at("items_combined"), 0);
        }
    }
}

TEST_P(OnRanks, ComponentsAreThoseOfUnionFind) {
    const Example example = random_example(100, 70, 9);
    const std::vector<std::uint32_t> labels = serial_labels(example);
    std::uint64_t components = 0;
    for (std::uint64_t vertex = 0; vertex < labels.size(); ++vertex) {
        components += labels[vertex] == vertex ? 1 : 0;
    }
    for (const std::string& order : all_orders) {
        for (const Execution execution : all_executions) {
            const Facts result = run(example, asked_for(Verb::cc, order, execution), GetParam());
            EXPECT_EQ(result.at("label_checksum"), checksum_of(labels)) << order;
            EXPECT_EQ(result.at("components"), static_cast<double>(components)) << order;
        }
    }
    Asked request = asked_for(Verb::cc);
    request.optimises_direction = true;
    const Facts result = run(example, request, GetParam());
    EXPECT_EQ(result.at("label_checksum"), checksum_of(labels));
    EXPECT_EQ(result.at("components"), static_cast<double>(components));
}

TEST_P(OnRanks, CoresAreThoseOfPeelingByDefinition) {
    const Example example = random_example(50, 200, 13);
    const std::vector<std::uint32_t> cores = serial_cores(example);
    for (const Execution execution : all_executions) {
        const Facts result = run(example, asked_for(Verb::kcore, "usual", execution), GetParam());
        EXPECT_EQ(result.at("core_checksum"), checksum_of(cores));
        EXPECT_EQ(result.at("largest_core"), *std::max_element(cores.begin(), cores.end()));
    }
}

TEST_P(OnRanks, TheIndependentSetAndTheColoursAreThoseOfOneVertexAfterTheOther) {
    for (const Example& example :
         {random_example(60, 200, 19), random_example(80, 40, 23), torus(5), Example{3, {}}}) {
        const std::vector<std::uint32_t> colours = serial_colours(example);
        std::vector<std::uint32_t> members; // The first colour is given by the same rule.
        for (const std::uint32_t colour : colours) {
            members.push_back(colour == 0 ? 1 : 0);
        }
        for (const Execution execution : all_executions) {
            for (const Own local : {Own::at_once, Own::sent}) {
                Asked request = asked_for(Verb::mis, "usual", execution);
                request.own = local;
                const Facts set = run(example, request, GetParam());
                EXPECT_EQ(set.at("set_checksum"), checksum_of(members));
                EXPECT_EQ(set.at("set_size"), std::count(members.begin(), members.end(), 1U));
                request.verb = Verb::colour;
                const Facts colouring = run(example, request, GetParam());
                EXPECT_EQ(colouring.at("colour_checksum"), checksum_of(colours));
                EXPECT_EQ(colouring.at("colours"), *std::max_element(colours.begin(), colours.end()) + 1);
            }
        }
    }
}

TEST_P(OnRanks, TrianglesAreThoseOfAllTriples) {
    for (const Example& example : {random_example(40, 250, 29), torus(3), torus(4), Example{2, {}}}) {
        for (const Execution execution : all_executions) {
            const Facts result = run(example, asked_for(Verb::triangles, "usual", execution), GetParam());
            EXPECT_EQ(result.at("triangles"), static_cast<double>(serial_triangles(example)));
        }
    }
}

TEST_P(OnRanks, PageRanksAddUpToOneAndEndWhenTheyHardlyChange) {
    const Example example = random_example(60, 100, 17); // With vertices that have no neighbours.
    for (const runtime::Cache cache : {runtime::Cache::none, runtime::Cache::sum}) {
        Asked request = asked_for(Verb::pagerank);
        request.runtime.cache = cache;
        request.own = Own::sent;
        const Facts result = run(example, request, GetParam());
        EXPECT_NEAR(result.at("rank_sum"), 1, 1e-6);
        EXPECT_LT(result.at("last_change"), 1e-4);
        EXPECT_GT(result.at("iterations"), 2);
    }
}

TEST(PageRank, OfARegularGraphIsUniformAtOnce) {
    for (const Method method : {Method::pull, Method::items}) {
        Asked request = asked_for(Verb::pagerank);
        request.method = method;
        EXPECT_EQ(run(torus(5), request, 3).at("iterations"), 1);
    }
}

/// By the powers of the whole matrix, in double precision: the sum of ranks, each times a number that is
/// drawn for its vertex.
double serial_rank_checksum(const Example& example) {
    const auto rows = simple_rows(example);
    const auto n = static_cast<double>(example.vertices);
    std::vector<double> ranks(example.vertices, 1 / n);
    constexpr double damping = .85;
    for (int iteration = 0; iteration < 200; ++iteration) { // .85^200 is 8e-15.
        std::vector<double> next(example.vertices, (1 - damping) / n);
        for (std::size_t vertex = 0; vertex < rows.size(); ++vertex) {
            const double share = damping * ranks[vertex];
            for (const std::uint64_t neighbour : rows[vertex]) {
                next[neighbour] += share / static_cast<double>(rows[vertex].size());
            }
            if (rows[vertex].empty()) {
                std::ranges::for_each(next, [&](double& rank) { rank += share / n; });
            }
        }
        ranks = next;
    }
    double sum = 0;
    for (std::uint64_t vertex = 0; vertex < ranks.size(); ++vertex) {
        sum += ranks[vertex] * Random(0).unit(vertex);
    }
    return sum;
}

TEST_P(OnRanks, PageRanksAreThoseOfTheMatrixByCopiesAndByItems) {
    for (const Example& example : {random_example(60, 100, 17), random_example(40, 400, 5), torus(6)}) {
        const double expected = serial_rank_checksum(example);
        for (const Method method : {Method::pull, Method::items}) {
            for (const std::int64_t buffer_bytes : {0, 16, 4096}) {
                Asked request = asked_for(Verb::pagerank, "usual", Execution::handler, buffer_bytes);
                request.method = method;
                request.tolerance = 1e-6;
                EXPECT_NEAR(run(example, request, GetParam()).at("rank_checksum"), expected, 5e-6);
            }
        }
    }
}

TEST_P(OnRanks, ReadingSharesTakesNoMoreIterationsAndFewerBytesThanItems) {
    const Example example = random_example(200, 2000, 29);
    std::map<Method, Facts> results;
    for (const Method method : {Method::pull, Method::items}) {
        Asked request = asked_for(Verb::pagerank);
        request.method = method;
        results[method] = run(example, request, GetParam());
    }
    EXPECT_LE(results[Method::pull].at("iterations"), results[Method::items].at("iterations"));
    if (GetParam() > 1) {
        EXPECT_LT(results[Method::pull].at("message_bytes"), results[Method::items].at("message_bytes") / 2);
    }
}

TEST_P(OnRanks, CopiesHaveTheValuesThatTheirOwnersHadAtTheExchange) {
    struct Value {
        std::uint64_t number;
        std::uint32_t round;
    };
    const Example example = random_example(300, 500, 31);
    for (const std::int64_t buffer_bytes : {0, 8, 64, 4096}) {
        runtime::Parameters parameters;
        parameters.buffer_bytes = buffer_bytes;
        parameters = runtime::settled(parameters);
        runtime::NetworkSettings settings;
        settings.ranks = GetParam();
        settings.buffer_bytes = runtime::capacity_bytes(parameters);
        runtime::SimulatedNetwork(settings).run([&](const Team& team, runtime::Transport& transport) {
            const Csr graph = build(team, ListedEdges(team, example.vertices, example.edges));
            runtime::Runtime runtime(transport, parameters, no_time);
            agm::Ghosts<Value> ghosts(team, graph, runtime);
            std::set<Vertex> remote;
            std::ranges::copy_if(graph.targets, std::inserter(remote, remote.end()),
                                 [&](Vertex vertex) { return !graph.owns(vertex); });
            EXPECT_EQ(ghosts.copies(), remote.size());
            std::vector<Value> table(ghosts.size());
            for (std::uint32_t round = 1; round <= 3; ++round) {
                for (std::size_t local = 0; local < graph.count(); ++local) {
                    table[local] = {graph.owners.number(graph.vertex(local)), round};
                }
                ghosts.exchange(table);
                for (std::size_t i = 0; i < graph.targets.size(); ++i) {
                    const Value& value = table[ghosts.places()[i]];
                    ASSERT_EQ(value.number, graph.owners.number(graph.targets[i]));
                    ASSERT_EQ(value.round, round);
                }
            }
        });
    }
}

TEST_P(OnRanks, BetweennessOnTheTorusIsTheClosedForm) {
    // n^3 / 2 - n^2 + 1 for even n, (n^3 - n) / 2 - n^2 + 1 for odd n, of ordered pairs: each source adds
    // what its own dependencies are, which are n^2 times that for all vertices together.
    for (const auto& [n, expected] :
         {std::pair{4U, 17.0}, {5U, 36.0}, {6U, 73.0}, {7U, 120.0}, {8U, 193.0}}) {
        for (const Execution execution : all_executions) {
            const Facts result = run(torus(n), asked_for(Verb::bc, "usual", execution), GetParam(), 1);
            EXPECT_NEAR(result.at("score_sum"), expected, 1e-9);
        }
    }
}

TEST_P(OnRanks, GraphsAtTheEdgeOfWhatAGraphIsAreWorkedOn) {
    const std::vector<Example> examples = {
        {5, {}},                                            // No edges, and an isolated source.
        {1, {{0, 0, 1}}},                                   // One vertex, a loop, more ranks than vertices.
        {3, {{0, 1, 2}, {0, 1, 1}, {1, 0, 3}, {1, 1, 0}}},  // Parallel edges.
        {4, {{0, 1, 0}, {1, 2, 0}, {2, 0, 0}, {2, 3, 0}}}}; // No weight at all.
    for (const Example& example : examples) {
        for (const std::string& order : all_orders) {
            const Facts result = run(example, asked_for(Verb::sssp, order, Execution::fibre, 0), GetParam());
            EXPECT_EQ(result.at("distance_checksum"), checksum_of(serial_distances(example, 0, false)));
        }
        for (const Verb verb : {Verb::bfs, Verb::cc, Verb::kcore, Verb::pagerank, Verb::bc, Verb::mis,
                                Verb::colour, Verb::triangles}) {
            run(example, asked_for(verb), GetParam());
        }
        for (const Verb verb : {Verb::sssp, Verb::bfs, Verb::cc}) {
            Asked request = asked_for(verb);
            request.optimises_direction = true;
            run(example, request, GetParam());
        }
    }
}

TEST_P(OnRanks, UnitedComponentsAreThoseOfOneProcess) {
    const std::vector<Example> examples = {random_example(200, 90, 41),
                                           random_example(200, 170, 43),
                                           random_example(3000, 9000, 47),
                                           torus(8),
                                           {5, {}},
                                           {1, {{0, 0, 1}}},
                                           {6, {{5, 0, 1}, {3, 2, 1}}}};
    for (const Example& example : examples) {
        const double expected = checksum_of(serial_labels(example));
        for (const Dealing dealing : {Dealing::cyclic, Dealing::block, Dealing::hash}) {
            for (const bool is_united : {true, false}) {
                Asked request = asked_for(Verb::cc);
                request.method = is_united ? Method::unite : Method::items;
                request.optimises_direction = !is_united;
                request.dealing = dealing;
                EXPECT_EQ(run(example, request, GetParam()).at("label_checksum"), expected);
            }
        }
    }
}

TEST_P(OnRanks, ResultsAreTheSameWhateverRankHasAVertex) {
    const Example example = random_example(70, 200, 37);
    for (const Verb verb :
         {Verb::sssp, Verb::bfs, Verb::cc, Verb::kcore, Verb::mis, Verb::colour, Verb::triangles}) {
        std::set<double> checksums;
        for (const Dealing dealing : {Dealing::cyclic, Dealing::block, Dealing::hash}) {
            Asked request = asked_for(verb);
            request.dealing = dealing;
            const Facts result = run(example, request, GetParam());
            for (const auto& [metric, value] : result) {
                if (metric.ends_with("_checksum")) {
                    checksums.insert(value);
                }
            }
        }
        EXPECT_EQ(checksums.size(), 1U) << static_cast<int>(verb);
    }
}

TEST(Schedules, TenThousandOfThemEndWithTheSameDistances) {
    const Example example = random_example(9, 14, 19);
    const double paths = checksum_of(serial_distances(example, 0, false));
    for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
        const Execution execution = all_executions[seed % 3];
        const std::string& order = all_orders[seed % 5];
        const Facts result = run(example, asked_for(Verb::sssp, order, execution, seed % 2 == 0 ? 0 : 64),
                                 2 + static_cast<int>(seed % 4), 0, seed);
        ASSERT_EQ(result.at("distance_checksum"), paths) << seed;
    }
}

TEST(Orders, HaveAsManyEpochsAsClassesAndRelaxLessTheFinerTheyAre) {
    const Example example = random_example(200, 1000, 23);
    std::map<std::string, Facts> result;
    for (const std::string& order : all_orders) {
        result[order] = run(example, asked_for(Verb::sssp, order), 2);
    }
    // Every vertex that is reached is worked on once in Dijkstra's order, and no less often in any other.
    EXPECT_EQ(result["dijkstra"]["items_useful"], result["dijkstra"]["vertices_reached"]);
    for (const std::string& order : all_orders) {
        EXPECT_GE(result[order]["items_useful"], result["dijkstra"]["items_useful"]) << order;
        EXPECT_LE(result[order]["epochs"], result["dijkstra"]["epochs"]) << order;
    }
    EXPECT_EQ(result["chaotic"]["epochs"], 2); // One finds the first class.
}

TEST(Classes, AreTakenInTheOrderOfTheirKeysLikeThoseOfAMap) {
    const Random random(29);
    agm::Classes<std::uint64_t> classes;
    std::map<agm::Key, std::vector<std::uint64_t>> expected;
    const auto every = [](std::uint64_t) { return true; };
    const auto drop = [](std::uint64_t) {};
    agm::Key base = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        // Near, at the end of the ring, and far beyond.
        const agm::Key key = base + random.below(random.below(2, 3 * i) == 0 ? 2000 : 100'000, 3 * i + 1);
        classes.push(key, i);
        expected[key].push_back(i);
        if (random.below(3, 3 * i + 2) == 0) {
            ASSERT_EQ(classes.least(every, drop), expected.begin()->first);
            base = expected.begin()->first;
            std::vector<std::uint64_t> drained;
            classes.take(base, drained);
            std::sort(drained.begin(), drained.end());
            ASSERT_EQ(drained, expected.begin()->second);
            expected.erase(expected.begin());
        }
    }
}

TEST(Classes, DropItemsThatAreNotCurrentBeforeTheyMakeAClass) {
    agm::Classes<int> classes;
    for (const int item : {3, 5, 5000, 70'000}) {
        classes.push(static_cast<agm::Key>(item), item);
    }
    std::vector<int> dropped;
    const auto drop = [&](int item) { dropped.push_back(item); };
    EXPECT_EQ(classes.least([](int item) { return item > 5000; }, drop), 70'000U);
    EXPECT_EQ(dropped, (std::vector{3, 5, 5000}));
    EXPECT_EQ(classes.least([](int) { return false; }, drop), agm::no_key);
}

TEST(Classes, TakeAnItemAtOnceOnlyWhereTheirBucketHasRoom) {
    agm::Classes<int> classes;
    EXPECT_FALSE(classes.push_at_once(7, 1)); // It has no memory yet.
    classes.push(7, 1);
    std::vector<int> expected{1};
    for (int i = 2; i < 100; ++i) {
        if (!classes.push_at_once(7, i)) {
            classes.push(7, i);
        }
        expected.push_back(i);
    }
    EXPECT_FALSE(classes.push_at_once(7'000, 100)); // It is far.
    std::vector<int> drained;
    classes.take(7, drained);
    EXPECT_EQ(drained, expected);
}

TEST(Classes, GoOnWithAClassThatGetsItemsAfterItWasTaken) {
    agm::Classes<int> classes;
    const auto every = [](int) { return true; };
    const auto drop = [](int) {};
    classes.push(3, 1);
    std::vector<int> drained;
    classes.take(3, drained);
    EXPECT_FALSE(classes.has(3));
    classes.push(3, 2);
    EXPECT_TRUE(classes.has(3));
    EXPECT_EQ(classes.least(every, drop), 3U);
    drained.clear();
    classes.take(3, drained);
    EXPECT_EQ(drained, std::vector{2});
    EXPECT_EQ(classes.least(every, drop), agm::no_key);
}

TEST(Current, GivesTheLeastItemAloneInAnOrderAndAllThatWaitWithoutOne) {
    agm::Current<int> ordered(true);
    ordered.push(5, 50);
    ordered.push(4, 40);
    ASSERT_EQ(ordered.first().size(), 1U);
    ordered.drop(1);
    EXPECT_EQ(ordered.least(), 5U);
    EXPECT_EQ(ordered.first().front(), 50);

    agm::Current<int> queue(false);
    queue.queue() = {1, 2, 3};
    EXPECT_EQ(queue.first().size(), 3U);
    queue.drop(2);
    EXPECT_EQ(queue.first().front(), 3);
    queue.drop(1);
    EXPECT_TRUE(queue.empty());
}

} // namespace
} // namespace goodsyard::graph
