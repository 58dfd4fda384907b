#include "uts/tree.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "harness/failure.hpp"
#include "simulated_ranks.hpp"
#include "uts/memory_traversal.hpp"
#include "uts/traversal.hpp"

namespace goodsyard::uts {
namespace {

using runtime::NetworkSettings;
using runtime::Parameters;

constexpr std::uint64_t enough = 1'000'000;

const NamedTree& named(std::string_view name) {
    for (const NamedTree& tree : named_trees) {
        if (tree.name == name) {
            return tree;
        }
    }
    throw std::invalid_argument("no such tree");
}

/// One node after the other, without a runtime.
Counted walked(const TreeParameters& parameters) {
    Tree tree(parameters, Sha::portable);
    std::vector<Node> remaining = {tree.root()};
    Counted result;
    while (!remaining.empty()) {
        const Node node = remaining.back();
        remaining.pop_back();
        const std::uint32_t children = tree.children(node);
        ++result.nodes;
        result.leaves += children == 0 ? 1 : 0;
        result.depth = std::max<std::uint64_t>(result.depth, node.depth);
        for (std::uint32_t i = 0; i < children; ++i) {
            Digest state;
            tree.spawn(node, i, {&state, 1});
            remaining.push_back({state, node.depth + 1});
        }
    }
    return result;
}

/// By all ranks of a network, twice.
Counted traversed(const TreeParameters& parameters, const NetworkSettings& network,
                  const Parameters& request) {
    Counted result;
    runtime::on_ranks(network, request, [&](runtime::Runtime& runtime, const Team& team) {
        Tree tree(parameters, Sha::automatic);
        Traversal traversal(runtime, tree, network.seed, enough);
        Activity activity(runtime);
        const std::uint64_t first = traversal.run(activity);
        EXPECT_EQ(traversal.run(activity), first);
        const Counted counted = traversal.counted(team);
        EXPECT_EQ(counted.nodes, first);
        if (team.is_root()) {
            result = counted;
        }
    });
    return result;
}

/// Built in global arrays, and visited there twice.
Counted read(const TreeParameters& parameters, const NetworkSettings& network, const Parameters& request,
             int list_piece) {
    Counted result;
    runtime::on_ranks(network, request, [&](runtime::Runtime& runtime, const Team& team) {
        Tree tree(parameters, Sha::automatic);
        global::Delegates delegates(runtime);
        const auto built = build(team, delegates, tree, network.seed, enough);
        MemoryTraversal traversal(delegates, *built, network.seed, list_piece);
        Activity activity(runtime);
        EXPECT_EQ(traversal.run(activity), built->counted.nodes);
        EXPECT_EQ(traversal.run(activity), built->counted.nodes);
        const Counted counted = traversal.counted(team);
        if (team.is_root()) {
            result = counted;
        }
    });
    return result;
}

// Witness: hashlib.sha1 of Python 3.11, of 16 zero bytes and 19 as four bytes, and of its digest and a
// number.
TEST(Sha1, StatesAreThoseOfAnotherImplementation) {
    const Digest root = Sha1::root(19);
    EXPECT_EQ(root, (Digest{0xC6988AB7, 0x0CC9559A, 0xE4D6CBA2, 0x54E29A84, 0x5A85F86B}));
    Digest state;
    const Sha1 portable(Sha::portable);
    portable.children(root, 0, {&state, 1});
    EXPECT_EQ(state, (Digest{0x2FB31310, 0x30280C16, 0x17A81D6A, 0x49C1E29E, 0xFFB19645}));
    portable.children(root, 4'000'000'000U, {&state, 1});
    EXPECT_EQ(state, (Digest{0xCB8A0260, 0x1AE4462A, 0x16C526A3, 0xFB0356DB, 0x1B174F7F}));
}

TEST(Sha1, InstructionsMakeTheStatesOfPortableCodeForAnyNumberOfChildren) {
    if (!has_sha_instructions()) {
        EXPECT_THROW(Sha1{Sha::instructions}, UsageError);
        GTEST_SKIP() << "this processor has no instructions for SHA-1";
    }
    const Sha1 portable(Sha::portable);
    const Sha1 instructions(Sha::instructions);
    EXPECT_FALSE(portable.by_instructions());
    EXPECT_TRUE(instructions.by_instructions());
    Digest parent = Sha1::root(7);
    for (std::size_t count = 1; count <= 9; ++count) {
        std::vector<Digest> expected(count);
        std::vector<Digest> result(count);
        portable.children(parent, 1000, expected);
        instructions.children(parent, 1000, result);
        EXPECT_EQ(result, expected);
        parent = result.back();
    }
}

class SmallTree : public testing::TestWithParam<const char*> {};

TEST_P(SmallTree, HasAsManyNodesAsTheReferenceCounts) {
    EXPECT_EQ(walked(named(GetParam()).parameters), named(GetParam()).known);
}

TEST_P(SmallTree, IsCountedByAnyNumberOfRanksUnderAnySchedule) {
    for (std::uint64_t seed = 0; seed < 32; ++seed) {
        const NetworkSettings network = {.ranks = 1 + static_cast<int>(seed % 8), .seed = seed};
        const Parameters request = {.execution = seed % 3 == 0 ? runtime::Execution::fibre
                                                               : runtime::Execution::handler,
                                    .buffer_bytes = seed % 2 == 0 ? 0 : 128,
                                    .sends = 2,
                                    .poll_interval = 1 + seed % 16,
                                    .steal_attempts = 1 + static_cast<int>(seed % 4),
                                    .steal_chunk = seed % 7};
        EXPECT_EQ(traversed(named(GetParam()).parameters, network, request), named(GetParam()).known)
            << "seed " << seed;
    }
}

TEST_P(SmallTree, IsReadFromMemoryByAnyNumberOfRanksUnderAnySchedule) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        const NetworkSettings network = {.ranks = 1 + static_cast<int>(seed % 8), .seed = seed};
        const Parameters request = {.buffer_bytes = seed % 2 == 0 ? 0 : 512,
                                    .sends = 2,
                                    .active_tasks = 1 + 10 * (seed % 5),
                                    .poll_interval = 1 + seed % 16,
                                    .steal_chunk = seed % 7,
                                    .delegates_to_self = seed % 3 == 0};
        const int list_piece = std::array{1, 3, 7, 31}[seed % 4];
        EXPECT_EQ(read(named(GetParam()).parameters, network, request, list_piece), named(GetParam()).known)
            << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Trees, SmallTree,
                         testing::Values("small-fixed", "small-expdec", "small-binomial", "small-hybrid"));

TEST(Tree, BalancedHasThePowersOfItsDegree) {
    const TreeParameters parameters = {.kind = Kind::balanced, .root_children = 3, .depth = 5};
    EXPECT_EQ(walked(parameters), (Counted{(729 - 1) / 2, 243, 5}));
    const Counted outcome = traversed(parameters, {.ranks = 4}, {.buffer_bytes = 64, .poll_interval = 4});
    EXPECT_EQ(outcome, (Counted{(729 - 1) / 2, 243, 5}));
}

TEST(Tree, OfARootAloneIsCountedByEightRanks) {
    const TreeParameters parameters = {.kind = Kind::binomial, .root_children = 0};
    EXPECT_EQ(traversed(parameters, {.ranks = 8}, {.buffer_bytes = 64}), (Counted{1, 1, 0}));
}

TEST(Tree, OfARootAloneIsReadByEightRanks) {
    const TreeParameters parameters = {.kind = Kind::binomial, .root_children = 0};
    EXPECT_EQ(read(parameters, {.ranks = 8}, {.buffer_bytes = 512}, 7), (Counted{1, 1, 0}));
}

TEST(Tree, IsTheSameHoweverOftenItsStatesAreWorkedOut) {
    TreeParameters parameters = named("small-binomial").parameters;
    parameters.evaluations = 3;
    EXPECT_EQ(walked(parameters), named("small-binomial").known);
    EXPECT_EQ(known(parameters), &named("small-binomial").known);
}

TEST(Tree, IsKnownByItsParametersAndUnknownWithOthers) {
    TreeParameters parameters = named("T1").parameters;
    EXPECT_EQ(known(parameters), &named("T1").known);
    ++parameters.seed;
    EXPECT_EQ(known(parameters), nullptr);
}

TEST(Tree, OfAPowerOfNothingIsRefused) {
    EXPECT_TRUE(refused({.shape = Shape::cyclic, .root_children = 0}));
    EXPECT_TRUE(refused({.shape = Shape::expdec, .depth = 1}));
    EXPECT_FALSE(refused({.shape = Shape::linear, .root_children = 0}));
    EXPECT_FALSE(refused({.kind = Kind::binomial, .shape = Shape::cyclic, .root_children = 0}));
}

TEST(Traversal, OfATreeWithoutEndEnds) {
    const TreeParameters parameters = {.kind = Kind::binomial, .inner_probability = 1};
    EXPECT_THROW(runtime::on_ranks({.ranks = 3}, {.buffer_bytes = 64},
                                   [&](runtime::Runtime& runtime, const Team&) {
                                       Tree tree(parameters, Sha::automatic);
                                       Traversal traversal(runtime, tree, 1, 10'000);
                                       Activity activity(runtime);
                                       traversal.run(activity);
                                   }),
                 std::runtime_error);
}

TEST(Traversal, CountsNodesThatItHasStillToVisitAmongTheMost) {
    const TreeParameters parameters = {.kind = Kind::binomial, .root_children = 1000, .inner_probability = 0};
    std::string message;
    try {
        runtime::on_ranks({.ranks = 1}, {.poll_interval = 4}, [&](runtime::Runtime& runtime, const Team&) {
            Tree tree(parameters, Sha::automatic);
            Traversal traversal(runtime, tree, 1, 500);
            Activity activity(runtime);
            traversal.run(activity);
        });
    } catch (const std::runtime_error& error) {
        message = error.what();
    }
    EXPECT_NE(message.find("visited 4 nodes and has 997 to visit, more than 500 nodes"), std::string::npos)
        << message;
}

/// Nodes that wait to be visited on all ranks, and ranks that have any, over time.
struct Course {
    std::vector<std::uint64_t> waiting;
    std::vector<std::uint64_t> busy;
};
Course course_of(std::string_view name) {
    Course outcome;
    runtime::on_ranks({.ranks = 4, .seed = 3},
                      {.buffer_bytes = 64, .poll_interval = 4, .trace_tasks_s = 2e-6},
                      [&](runtime::Runtime& runtime, const Team& team) {
                          Tree tree(named(name).parameters, Sha::automatic);
                          Traversal traversal(runtime, tree, 1, enough);
                          Activity activity(runtime);
                          activity.restart(runtime.now_s());
                          traversal.run(activity);
                          const auto waiting = active_of_all(team, activity.tasks);
                          const auto busy = active_of_all(team, activity.busy);
                          if (team.is_root()) {
                              outcome = {waiting, busy};
                          }
                      });
    return outcome;
}

TEST(Activity, OfABinomialTreeIsWideFromItsRootOnAndOfAGeometricOneStaysNarrow) {
    const Course binomial = course_of("small-binomial");
    const Course fixed = course_of("small-fixed");
    // Nearly all 200 children of the root wait at once; depth first, a geometric tree has a few on each
    // level.
    EXPECT_GT(*std::max_element(binomial.waiting.begin(), binomial.waiting.end()), 150U);
    EXPECT_LT(*std::max_element(fixed.waiting.begin(), fixed.waiting.end()), 150U);
    for (const Course& course : {binomial, fixed}) {
        ASSERT_GT(course.waiting.size(), 20U);
        ASSERT_EQ(course.busy.size(), course.waiting.size());
        EXPECT_EQ(*std::max_element(course.busy.begin(), course.busy.end()), 4U);
        EXPECT_EQ(course.waiting.back(), 0U);
        EXPECT_EQ(course.busy.back(), 0U);
        for (std::size_t i = 0; i < course.busy.size(); ++i) {
            EXPECT_EQ(course.busy[i] > 0, course.waiting[i] > 0) << i;
        }
    }
}

TEST(Steals, OfAChunkAreCountedBySize) {
    runtime::on_ranks({.ranks = 2, .seed = 3}, {.buffer_bytes = 64, .poll_interval = 4, .steal_chunk = 1},
                      [](runtime::Runtime& runtime, const Team& team) {
                          Tree tree(named("small-fixed").parameters, Sha::automatic);
                          Traversal traversal(runtime, tree, 1, enough);
                          Activity activity(runtime);
                          traversal.run(activity);
                          const runtime::Counters& local = runtime.counters();
                          EXPECT_EQ(local.steals_by_items.counts()[0], local.steals);
                          EXPECT_EQ(local.stolen_items, local.steals);
                          EXPECT_GT(team.all(Fold::sum, local.steals), 0U);
                      });
}

TEST(Histogram, ClassesEndAtPowersOfTwo) {
    runtime::Histogram histogram;
    for (const std::uint64_t value : {0, 1, 2, 3, 4, 5, 8, 9}) {
        histogram.add(value);
    }
    histogram.add(std::uint64_t{1} << 60U, 7);
    const auto& counts = histogram.counts();
    EXPECT_EQ(counts[0], 2U);
    EXPECT_EQ(counts[1], 1U);
    EXPECT_EQ(counts[2], 2U);
    EXPECT_EQ(counts[3], 2U);
    EXPECT_EQ(counts[4], 1U);
    EXPECT_EQ(counts.back(), 7U);
}

} // namespace
} // namespace goodsyard::uts
