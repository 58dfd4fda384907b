#include <gtest/gtest.h>
#include <utility>

#include "harness/random.hpp"
#include "runtime/stealable.hpp"
#include "simulated_ranks.hpp"

namespace goodsyard::runtime {
namespace {

/// A node of a tree that nobody has seen before.
struct Node {
    std::uint64_t id;
    std::uint32_t depth;
};

std::uint64_t children(const Node& node) {
    return node.depth == 0 ? 40 : node.depth == 9 ? 0 : mix64(node.id) % 3;
}
Node child(const Node& node, std::uint64_t i) {
    return {mix64(node.id + i + 1), node.depth + 1};
}
std::uint64_t nodes_below(const Node& node) {
    std::uint64_t nodes = 1;
    for (std::uint64_t i = 0; i < children(node); ++i) {
        nodes += nodes_below(child(node, i));
    }
    return nodes;
}

/// The tree counted by all ranks, the last of which has its root; twice, by one object.
Counters count(const NetworkSettings& network, const Parameters& parameters, std::uint64_t id) {
    Counters all;
    on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
        Stealable<Node> tree(runtime, all_ranks(runtime), network.seed);
        std::uint64_t counted = 0;
        tree.on_turn([&](const Node& node) {
            ++counted;
            for (std::uint64_t i = 0; i < children(node); ++i) {
                tree.add(child(node, i));
            }
        });
        for (std::uint64_t round = 1; round <= 2; ++round) {
            if (runtime.rank() == runtime.size() - 1) {
                tree.add({id, 0});
            }
            const Agreed agreed = runtime.epoch([&] { return tree.step(); }, [&] { return Agreed{counted}; });
            EXPECT_EQ(agreed.sum, round * nodes_below({id, 0}))
                << "seed " << network.seed << ", " << network.ranks << " ranks";
        }
        Counters& local = runtime.counters();
        const std::uint64_t stolen = team.all(Fold::sum, local.stolen_items);
        const std::uint64_t refusals = team.all(Fold::sum, local.refusals);
        all.stolen_items = stolen;
        all.refusals = refusals;
    });
    return all;
}

TEST(Stealing, LosesAndDoublesNothingUnderSeededSchedules) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const int ranks = 1 + static_cast<int>(seed % 8);
        const Execution execution = seed % 3 == 0 ? Execution::fibre : Execution::handler;
        const Counters counted = count({.ranks = ranks, .seed = seed},
                                       {.execution = execution,
                                        .buffer_bytes = 64,
                                        .sends = 2,
                                        .poll_interval = 4,
                                        .steal_chunk = seed % 2 == 0 ? 8U : 0U},
                                       seed);
        EXPECT_EQ(counted.stolen_items > 0, ranks > 1) << "seed " << seed;
    }
}

TEST(Stealing, BeginsAgainAsAtFirstOnceItIsRestarted) {
    // Nobody has items: each rank asks two victims, and then those at distances 1 and 2 to remember it.
    constexpr std::uint64_t requests = 2 + 2;
    on_ranks({.ranks = 4}, {.buffer_bytes = 64, .steal_attempts = 2}, [&](Runtime& runtime, const Team&) {
        Stealable<Node> none(runtime, all_ranks(runtime));
        none.on_turn([](const Node&) {});
        const auto requests_of_an_epoch = [&] {
            runtime.epoch([&] { return none.step(); }, [] { return Agreed{}; });
            return std::exchange(runtime.counters().steals_tried, 0);
        };
        EXPECT_EQ(requests_of_an_epoch(), requests);
        EXPECT_EQ(requests_of_an_epoch(), 0U); // All are remembered.
        none.restart();
        EXPECT_EQ(requests_of_an_epoch(), requests);
    });
}

TEST(Stealing, StaysAmongThieves) {
    // Ranks 0 and 1 on one node, 2 and 3 on the other; all the work is on rank 0.
    on_ranks({.ranks = 4}, {.buffer_bytes = 64, .poll_interval = 4}, [](Runtime& runtime, const Team&) {
        Stealable<Node> tree(runtime, {.first = runtime.rank() / 2 * 2, .count = 2});
        std::uint64_t counted = 0;
        tree.on_turn([&](const Node& node) {
            ++counted;
            for (std::uint64_t i = 0; i < children(node); ++i) {
                tree.add(child(node, i));
            }
        });
        if (runtime.rank() == 0) {
            tree.add({1, 0});
        }
        runtime.epoch([&] { return tree.step(); }, [] { return Agreed{}; });
        EXPECT_EQ(counted > 0, runtime.rank() < 2);
    });
}

} // namespace
} // namespace goodsyard::runtime
