#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

#include "graph/csr.hpp"
#include "graph/drawn_edges.hpp"
#include "graph/edge_file.hpp"
#include "graph/graph500.hpp"
#include "graph/lattice.hpp"
#include "graph/rmat.hpp"
#include "graph/roots.hpp"
#include "graph/teps.hpp"
#include "graph/tuple_hash.hpp"
#include "graph/uniform.hpp"
#include "graph/validation.hpp"
#include "graph_inputs.hpp"
#include "ranks_of_threads.hpp"

namespace goodsyard::graph {
namespace {

std::vector<Edge> all_of(const Graph500& generator) {
    std::vector<Edge> edges(generator.edges());
    generator.draw(0, edges);
    return edges;
}

TEST(Mrg, SkippingNumbersIsDrawingThem) {
    const Mrg::State seed = Mrg::seeded(2, 3);
    for (const std::uint64_t skipped : {0U, 1U, 2U, 63U, 1000U}) {
        Mrg drawn(seed);
        for (std::uint64_t i = 0; i < skipped; ++i) {
            drawn();
        }
        Mrg jumped(Mrg::Skip::over(0, 0, skipped)(seed));
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(drawn(), jumped());
        }
    }
    // Skips add up, over the carry from word to word.
    const Mrg::State once = Mrg::Skip::over(0, 0, ~std::uint64_t{0})(seed);
    EXPECT_EQ(Mrg::Skip::over(0, 0, 1)(once), Mrg::Skip::over(0, 1, 0)(seed));
}

TEST(Graph500, BeginsWithTheTuplesOfTheReferenceCode) {
    const std::vector<Edge> edges = all_of(Graph500(5, 2, 3));
    const std::vector<Edge> expected = {
        {7, 29, .709020138F}, {15, 23, .0675098151F}, {25, 8, .776932001F}, {15, 7, .206191137F}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(edges[i].source, expected[i].source);
        EXPECT_EQ(edges[i].target, expected[i].target);
        EXPECT_FLOAT_EQ(edges[i].weight, expected[i].weight);
    }
}

TEST(Graph500, HasTheSearchKeysOfTheReferenceCode) {
    for (const auto& [scale, expected] :
         {std::pair{5, std::vector<std::uint64_t>{14, 6, 6, 3, 30, 12}},
          std::pair{10, std::vector<std::uint64_t>{458, 214, 220, 126, 966, 395}}}) {
        const Graph500 generator(scale, 2, 3);
        for (std::uint64_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(generator.root(i), expected[i]);
        }
    }
}

struct Golden {
    int scale;
    std::uint64_t hash;
    std::uint64_t loops;
    std::uint64_t isolated;
    std::uint64_t largest_degree; ///< Of tuples that are no loops.
    std::uint64_t largest_vertex;
};

class GoldenGraph : public testing::TestWithParam<Golden> {};

TEST_P(GoldenGraph, IsThatOfTheReferenceCodeToTheBitOnAnyNumberOfRanks) {
    const Golden& golden = GetParam();
    for (const int ranks : {1, 3, 8}) {
        as_ranks(ranks, [&](const Team& team) {
            const DrawnEdges edges(Graph500(golden.scale, 2, 3), team);
            EXPECT_EQ(tuple_hash(team, edges), golden.hash);
        });
    }
}

TEST_P(GoldenGraph, HasTheLoopsDegreesAndIsolatedVerticesOfTheReferenceCode) {
    const Golden& golden = GetParam();
    std::uint64_t loops = 0;
    std::vector<std::uint64_t> degrees(std::uint64_t{1} << static_cast<unsigned>(golden.scale));
    for (const Edge& edge : all_of(Graph500(golden.scale, 2, 3))) {
        if (edge.source == edge.target) {
            ++loops;
        } else {
            ++degrees[edge.source];
            ++degrees[edge.target];
        }
    }
    EXPECT_EQ(loops, golden.loops);
    const auto largest = std::max_element(degrees.begin(), degrees.end());
    EXPECT_EQ(*largest, golden.largest_degree);
    EXPECT_EQ(static_cast<std::uint64_t>(largest - degrees.begin()), golden.largest_vertex);
    as_ranks(2, [&](const Team& team) {
        const Csr graph = build(team, DrawnEdges(Graph500(golden.scale, 2, 3), team));
        const auto isolated = std::count(graph.ends.begin(), graph.ends.end(), 0U);
        EXPECT_EQ(team.all(Fold::sum, static_cast<std::uint64_t>(isolated)), golden.isolated);
    });
}

INSTANTIATE_TEST_SUITE_P(Scales, GoldenGraph,
                         testing::Values(Golden{5, 0x965652502F5CA225U, 43, 2, 205, 15},
                                         Golden{10, 0x1F04FE2A5D604A0AU, 144, 125, 1977, 684},
                                         Golden{14, 0x8FB73210CD4AA3E0U, 326, 3834, 10921, 5452}));

TEST(Rmat, HasWeightsInRangeNoLoopsAndTheQuadrantsOfItsParameters) {
    const Rmat generator(rmat2, 12, 100, 1);
    std::vector<Edge> edges(generator.edges());
    generator.draw(0, edges);
    std::set<float> weights;
    for (const Edge& edge : edges) {
        ASSERT_NE(edge.source, edge.target);
        ASSERT_LT(std::max(edge.source, edge.target), generator.vertices());
        weights.insert(edge.weight);
    }
    EXPECT_EQ(weights.size(), 100U);
    EXPECT_EQ(*weights.begin(), 1);
    EXPECT_EQ(*weights.rbegin(), 100);
    // Any part of the sequence is that of the whole.
    std::vector<Edge> some(5);
    generator.draw(1000, some);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), edges.begin() + 1000));
}

TEST(Uniform, DrawsEveryEndFromAllVerticesAndTheSameEdgesInAnyPart) {
    const Uniform generator(8, 10, 3);
    std::vector<Edge> edges(generator.edges());
    generator.draw(0, edges);
    std::vector<std::uint64_t> ends(generator.vertices());
    std::set<float> weights;
    for (const Edge& edge : edges) {
        ++ends.at(edge.source);
        ++ends.at(edge.target);
        weights.insert(edge.weight);
    }
    // 32 ends each on average, of Poisson's distribution: 0 or 70 have a probability below 1e-8.
    EXPECT_GT(*std::ranges::min_element(ends), 0U);
    EXPECT_LT(*std::ranges::max_element(ends), 70U);
    EXPECT_EQ(weights.size(), 10U);
    std::vector<Edge> some(7);
    generator.draw(321, some);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), edges.begin() + 321));
}

TEST(Lattice, JoinsEveryVertexToTheNextOfItsRowAndColumn) {
    const Lattice generator(5, 10, 3); // 4 rows of 8
    ASSERT_EQ(generator.vertices(), 32U);
    std::vector<Edge> edges(generator.edges());
    ASSERT_EQ(edges.size(), 4U * 7 + 3U * 8);
    generator.draw(0, edges);
    std::set<std::pair<std::uint64_t, std::uint64_t>> joined;
    for (const Edge& edge : edges) {
        const bool is_of_row = edge.target == edge.source + 1 && edge.source / 8 == edge.target / 8;
        EXPECT_TRUE(is_of_row || edge.target == edge.source + 8);
        EXPECT_LT(edge.target, 32U);
        EXPECT_GE(edge.weight, 1);
        joined.emplace(edge.source, edge.target);
    }
    EXPECT_EQ(joined.size(), edges.size());
}

TEST(Scramble, IsAPermutation) {
    const Scramble scramble(8, 12345, 67890);
    std::set<std::uint64_t> images;
    for (std::uint64_t vertex = 0; vertex < 256; ++vertex) {
        images.insert(scramble(vertex));
    }
    EXPECT_EQ(images.size(), 256U);
    EXPECT_EQ(*images.rbegin(), 255U);
}

TEST(Shuffle, IsAPermutationOfAnyNumberOfNumbersWithItsInverse) {
    for (std::uint64_t numbers = 1; numbers < 300; ++numbers) {
        const Shuffle shuffle(numbers);
        std::set<std::uint64_t> images;
        for (std::uint64_t number = 0; number < numbers; ++number) {
            images.insert(shuffle(number));
            EXPECT_EQ(shuffle.inverse(shuffle(number)), number);
        }
        EXPECT_EQ(images.size(), numbers);
        EXPECT_EQ(*images.rbegin(), numbers - 1);
    }
    const std::uint64_t many = (std::uint64_t{1} << 40U) + 12345;
    EXPECT_EQ(Shuffle(many).inverse(Shuffle(many)(many - 1)), many - 1);
}

TEST(Owners, ByBlockHaveConsecutiveVerticesAndByHashNoStrideOfThem) {
    constexpr std::uint64_t vertices = 10'001;
    constexpr int ranks = 4;
    const Owners block(vertices, ranks, Dealing::block);
    const Owners hash(vertices, ranks, Dealing::hash);
    std::array<int, ranks> of_stride{};
    for (std::uint64_t number = 0; number + 1 < vertices; ++number) {
        EXPECT_LE(block.owner(block.vertex(number)), block.owner(block.vertex(number + 1)));
        of_stride[hash.owner(hash.vertex(number))] += number % ranks == 0 ? 1 : 0;
    }
    // Of 2,500 each rank has 625 in the mean with a standard deviation of 22; dealt out one by one, one has
    // all.
    EXPECT_GT(std::ranges::min(of_stride), 500);
    EXPECT_LT(std::ranges::max(of_stride), 750);
}

TEST(Owners, ByBlockOfALatticeHaveHardlyAnyRemoteArc) {
    constexpr double size = 64;
    const Example example = torus(64);
    // One by one all arcs within rows; by block those of two seams, from two rows of each.
    for (const auto& [dealing, share] : {std::pair{Dealing::cyclic, .5}, {Dealing::block, 1 / size}}) {
        as_ranks(2, [&](const Team& team) {
            const ListedEdges edges(team, example.vertices, example.edges);
            const Csr graph = build(team, edges, RowOrder::by_neighbour, Arcs::both_ways, dealing);
            EXPECT_DOUBLE_EQ(remote_share(team, graph), share);
        });
    }
}

class EveryDealing : public testing::TestWithParam<Dealing> {};
INSTANTIATE_TEST_SUITE_P(Owners, EveryDealing,
                         testing::Values(Dealing::cyclic, Dealing::block, Dealing::hash));

TEST_P(EveryDealing, NumbersEveryVertexOnceOnAnyNumberOfRanks) {
    for (const std::uint64_t vertices : {1U, 2U, 7U, 64U, 100U}) {
        for (const int ranks : {1, 2, 3, 8, 16}) {
            const Owners owners(vertices, ranks, GetParam());
            std::vector<std::size_t> counted(owners.ranks());
            std::set<Vertex> visited;
            for (std::uint64_t number = 0; number < vertices; ++number) {
                const Vertex vertex = owners.vertex(number);
                EXPECT_EQ(owners.number(vertex), number);
                EXPECT_LT(owners.local(vertex), owners.count(owners.owner(vertex)));
                EXPECT_NE(vertex, no_vertex);
                ++counted[owners.owner(vertex)];
                visited.insert(vertex);
            }
            EXPECT_EQ(visited.size(), vertices);
            for (std::size_t rank = 0; rank < counted.size(); ++rank) {
                EXPECT_EQ(counted[rank], owners.count(rank));
            }
        }
    }
}

TEST(Owners, RefuseWhatHasNoNumbers) {
    EXPECT_FALSE(Owners::refused(std::uint64_t{1} << 31U, 1));
    EXPECT_TRUE(Owners::refused((std::uint64_t{1} << 32U) + 1, 1));
    EXPECT_TRUE(Owners::refused(0, 4));
    const std::uint64_t many = std::uint64_t{1} << 40U;
    if constexpr (sizeof(Vertex) == sizeof(std::uint32_t)) {
        EXPECT_NE(Owners::refused(many, 1000).value_or("").find("WIDE_VERTICES"), std::string::npos);
        return;
    }
    ASSERT_FALSE(Owners::refused(many, 1000));
    const Owners owners(many, 1000);
    for (const std::uint64_t number : {std::uint64_t{0}, many / 3, many - 1}) {
        EXPECT_EQ(owners.number(owners.vertex(number)), number);
        EXPECT_EQ(owners.owner(owners.vertex(number)), number % 1000);
    }
}

TEST(Csr, IsASimpleGraphWithTheLightestOfParallelEdges) {
    const Example example{5, {{0, 1, 5}, {1, 0, 3}, {0, 1, 4}, {2, 2, 1}, {1, 2, 7}}};
    for (const int ranks : {1, 2, 3, 8}) {
        as_ranks(ranks, [&](const Team& team) {
            const Csr graph = build(team, ListedEdges(team, example.vertices, example.edges));
            EXPECT_EQ(graph.largest_weight, 7);
            EXPECT_EQ(team.all(Fold::sum, std::uint64_t{graph.targets.size()}), 4U);
            const Vertex zero = graph.owners.vertex(0);
            if (graph.owns(zero)) {
                ASSERT_EQ(graph.degree(graph.owners.local(zero)), 1U);
                EXPECT_EQ(graph.weights_of(graph.owners.local(zero))[0], 3);
                EXPECT_EQ(graph.ends[graph.owners.local(zero)], 3U);
            }
            EXPECT_EQ(degree_of(team, graph, graph.owners.vertex(2)), 1U);
            EXPECT_EQ(degree_of(team, graph, graph.owners.vertex(4)), 0U);
        });
    }
}

TEST(Csr, HasTheSameNeighboursInEitherOrderOfItsRows) {
    const Example example = random_example(50, 400, 3);
    as_ranks(3, [&](const Team& team) {
        const ListedEdges edges(team, example.vertices, example.edges);
        const Csr by_neighbour = build(team, edges);
        const Csr by_weight = build(team, edges, RowOrder::by_weight);
        EXPECT_EQ(by_weight.begin, by_neighbour.begin);
        const auto row = [](const Csr& graph, std::size_t local) {
            std::vector<std::pair<Vertex, float>> result;
            for (std::size_t i = 0; i < graph.degree(local); ++i) {
                result.emplace_back(graph.neighbours(local)[i], graph.weights_of(local)[i]);
            }
            return result;
        };
        for (std::size_t local = 0; local < by_weight.count(); ++local) {
            const auto weights = by_weight.weights_of(local);
            EXPECT_TRUE(std::is_sorted(weights.begin(), weights.end()));
            auto is_same = row(by_weight, local);
            std::sort(is_same.begin(), is_same.end());
            EXPECT_EQ(is_same, row(by_neighbour, local));
        }
    });
}

TEST(Roots, AreDifferentVerticesWithEdges) {
    const Example example{6, {{0, 1, 1}, {3, 4, 1}, {5, 5, 1}}};
    as_ranks(2, [&](const Team& team) {
        const Csr graph = build(team, ListedEdges(team, example.vertices, example.edges));
        const auto candidate = [](std::uint64_t i) {
            return std::vector<std::uint64_t>{2, 3, 3, 5, 0, 1, 4}[i % 7];
        };
        const std::vector<Vertex> roots = choose_roots(team, graph, 3, candidate);
        ASSERT_EQ(roots.size(), 3U);
        EXPECT_EQ(graph.owners.number(roots[0]), 3U);
        EXPECT_EQ(graph.owners.number(roots[1]), 0U);
        EXPECT_EQ(graph.owners.number(roots[2]), 1U);
        EXPECT_THROW((void)choose_roots(team, graph, 5, candidate), SharedFailure);
    });
}

TEST(HarmonicMean, IsThatOfTheSpecification) {
    const HarmonicMean result = harmonic_mean({1, 2, 4});
    EXPECT_DOUBLE_EQ(result.mean, 12.0 / 7);
    // Octave, as the specification of Graph500 has it: sqrt(sum((1./x - 1/hm).^2)) / (n - 1) * hm^2.
    const double inverse = 7.0 / 12;
    const double squares = std::pow(1 - inverse, 2) + std::pow(.5 - inverse, 2) + std::pow(.25 - inverse, 2);
    EXPECT_DOUBLE_EQ(result.standard_error, std::sqrt(squares) / 2 / (inverse * inverse));
    EXPECT_EQ(harmonic_mean({5}).standard_error, 0);
}

// Files.

class EdgeFiles : public testing::Test {
  protected:
    ~EdgeFiles() override { std::filesystem::remove(path_); }
    std::string write(const std::string& text) {
        std::ofstream(path_, std::ios::binary) << text;
        return path_;
    }
    /// Tuples by rank of reading, and what is raised, on so many ranks.
    static std::vector<Edge> read(const std::string& path, int ranks, std::uint64_t& vertices) {
        std::vector<std::vector<Edge>> parts(static_cast<std::size_t>(ranks));
        as_ranks(ranks, [&](const Team& team) {
            const FileEdges edges(team, path);
            std::vector<Edge>& part = parts[static_cast<std::size_t>(team.rank())];
            part.resize(edges.own());
            edges.read(0, part);
            if (team.is_root()) {
                vertices = edges.vertices();
            }
        });
        std::vector<Edge> all;
        for (const std::vector<Edge>& part : parts) {
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }
    static std::string refused(const std::string& path, int ranks) {
        std::string message;
        as_ranks(ranks, [&](const Team& team) {
            try {
                const FileEdges edges(team, path);
            } catch (const SharedFailure& failure) {
                if (team.is_root()) {
                    message = failure.what();
                }
            }
        });
        return message;
    }

  private:
    std::string path_ =
        (std::filesystem::temp_directory_path() / ("graph-test-" + std::to_string(::getpid()) + ".txt"))
            .string();
};

TEST_F(EdgeFiles, OfTextAreReadWholeByAnyNumberOfRanks) {
    const std::string path = write("# a comment\n0 1\n10\t2 0.5\n\n3, 4, 7\r\n% another\n5 5 1e-3");
    const std::vector<Edge> expected = {{0, 1, 1}, {10, 2, .5F}, {3, 4, 7}, {5, 5, 1e-3F}};
    for (int ranks = 1; ranks <= 9; ++ranks) {
        std::uint64_t vertices = 0;
        EXPECT_EQ(read(path, ranks, vertices), expected) << ranks;
        EXPECT_EQ(vertices, 11U);
    }
}

TEST_F(EdgeFiles, OfMatrixMarketCountFromOneAndSayHowManyVerticesThereAre) {
    const std::string path =
        write("%%MatrixMarket matrix coordinate real symmetric\n% by hand\n4 4 3\n2 1 0.25\n3 1 2\n4 4 1\n");
    const std::vector<Edge> expected = {{1, 0, .25F}, {2, 0, 2}, {3, 3, 1}};
    for (int ranks = 1; ranks <= 5; ++ranks) {
        std::uint64_t vertices = 0;
        EXPECT_EQ(read(path, ranks, vertices), expected) << ranks;
        EXPECT_EQ(vertices, 4U);
    }
}

TEST_F(EdgeFiles, ThatAreDamagedAreRefusedWithTheirLine) {
    const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"0 1\n2 x\n3 4\n", ":2: '2 x' is not an edge"},
        {"0 1\n\n2\n", ":3: '2' is not an edge"},
        {"0 1 2 3\n", ":1: '0 1 2 3' is not an edge"},
        {"0 1 -1\n", ":1: weight '-1' is negative or not finite"},
        {"0 1\n1 2 inf\n", ":2: weight 'inf' is negative or not finite"},
        {"0 1 1e38\n5 6 1\n", "distances overflow"},
        {"0 4294967296\n", ":1: vertex 4294967296 is not in 0"},
        {"# nothing\n", "has no edges"},
        {"%%MatrixMarket matrix array real general\n2 2\n", "of Matrix Market"},
        {head + "3 3\n1 2\n", ":2: '3 3' is not: rows columns entries"},
        {head + "3 3 1\n0 2\n", ":3: vertex 0 is not in 1 … 3"},
        {head + "3 3 2\n1 2\n", "has 1 entries, and says 2"},
    };
    for (const auto& [text, expected] : cases) {
        const std::string path = write(text);
        for (const int ranks : {1, 3}) {
            EXPECT_NE(refused(path, ranks).find(expected), std::string::npos)
                << text << ranks << ": " << refused(path, ranks);
        }
    }
    EXPECT_NE(refused("/nowhere/at/all", 2).find("cannot be read: No such file"), std::string::npos);
    EXPECT_NE(refused(testing::TempDir(), 2).find("cannot be read: Is a directory"), std::string::npos);
}

// Validation: a path 0 - 1 - 2 - 3 with weights 1, 2, 3, a heavy edge 0 - 3, and a pair 4 - 5 apart.

const Example path_and_pair{6, {{0, 1, 1}, {1, 2, 2}, {2, 3, 3}, {0, 3, 10}, {4, 5, 1}}};
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr std::uint64_t none = ~std::uint64_t{0};

std::string violation_of(const std::vector<float>& distances, const std::vector<std::uint64_t>& parents,
                         int ranks, bool unit_weights = false) {
    std::string message;
    as_ranks(ranks, [&](const Team& team) {
        const ListedEdges edges(team, path_and_pair.vertices, path_and_pair.edges);
        const Owners owners(path_and_pair.vertices, ranks);
        std::vector<float> own_distances;
        std::vector<Vertex> own_parents;
        for (std::uint64_t i = 0; i < path_and_pair.vertices; ++i) {
            if (owners.owner(owners.vertex(i)) == static_cast<std::size_t>(team.rank())) {
                own_distances.push_back(distances[i]);
                own_parents.push_back(parents[i] == none ? no_vertex : owners.vertex(parents[i]));
            }
        }
        try {
            fail_together(
                team, "wrong",
                violation(team, edges, {owners, owners.vertex(0), unit_weights, own_distances, own_parents}));
        } catch (const SharedFailure& failure) {
            if (team.is_root()) {
                message = failure.what();
            }
        }
    });
    return message;
}

TEST(Validation, AcceptsShortestPathsAndLevels) {
    for (const int ranks : {1, 2, 5}) {
        EXPECT_EQ(violation_of({0, 1, 3, 6, infinite, infinite}, {0, 0, 1, 2, none, none}, ranks), "");
        EXPECT_EQ(violation_of({0, 1, 2, 1, infinite, infinite}, {0, 0, 1, 0, none, none}, ranks, true), "");
    }
}

TEST(Validation, FindsAViolationOfEachRule) {
    for (const int ranks : {1, 2, 5}) {
        const auto finds = [&](const std::string& subject, const std::vector<float>& distances,
                               const std::vector<std::uint64_t>& parents) {
            const std::string message = violation_of(distances, parents, ranks);
            EXPECT_NE(message.find(subject), std::string::npos) << ranks << ": " << message;
        };
        // 1: a cycle.
        finds("does not lead to the root", {0, 1, 3, 6, infinite, infinite}, {0, 2, 1, 2, none, none});
        // 2: a tree edge over another distance; 5: a parent that is no neighbour.
        finds("joins vertex", {0, 1, 3, 5, infinite, infinite}, {0, 0, 1, 2, none, none});
        finds("joins vertex", {0, 1, 3, 6, infinite, infinite}, {0, 0, 1, 1, none, none});
        // 3: a shorter way.
        finds("is nearer", {0, 1, 3, 10, infinite, infinite}, {0, 0, 1, 0, none, none});
        // 3 and 4: half a component, another component, another root.
        finds("leads out of the tree", {0, 1, 3, infinite, infinite, infinite}, {0, 0, 1, none, none, none});
        finds("not both", {0, 1, 3, 6, 1, infinite}, {0, 0, 1, 2, none, none});
        finds("the root is not", {1, 1, 3, 6, infinite, infinite}, {0, 0, 1, 2, none, none});
    }
}

} // namespace
} // namespace goodsyard::graph
