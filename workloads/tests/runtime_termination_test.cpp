#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <vector>

#include "harness/random.hpp"
#include "simulated_ranks.hpp"

namespace goodsyard::runtime {
namespace {

/// An item that has up to three children, which go to drawn ranks.
struct Node {
    std::uint64_t id;
    std::uint32_t depth;
    std::uint32_t epoch;
};

constexpr std::uint32_t deepest = 4;

std::uint64_t children(const Node& node) {
    return node.depth == deepest ? 0 : mix64(node.id) % 4;
}
Node child(const Node& node, std::uint64_t i) {
    return {mix64(node.id + i + 1), node.depth + 1, node.epoch};
}
std::uint64_t nodes_below(const Node& node) {
    std::uint64_t nodes = 1;
    for (std::uint64_t i = 0; i < children(node); ++i) {
        nodes += nodes_below(child(node, i));
    }
    return nodes;
}

/// What a schedule is to be held to.
struct Found {
    std::uint64_t nodes = 0;
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
};
constexpr std::uint32_t epochs = 3;

Node root(std::uint64_t seed, int rank, std::uint32_t epoch) {
    return {mix64(1000 * seed + 10 * static_cast<std::uint64_t>(rank) + epoch), 0, epoch};
}

/// Grow the trees of each rank in each epoch; return what ranks agree on, epoch by epoch.
std::vector<Agreed> grow(std::uint64_t seed, Runtime& runtime) {
    Channel<Node> channel(runtime);
    Found local;
    std::uint32_t epoch = 0;
    std::vector<Node> waiting; // Some items are kept, and worked on in `step`.
    const auto expand = [&](const Node& node) {
        for (std::uint64_t i = 0; i < children(node); ++i) {
            const Node next = child(node, i);
            channel.send(static_cast<int>(next.id % static_cast<std::uint64_t>(runtime.size())), next);
        }
    };
    bool inside = false;
    channel.on_receipt([&](const Node& node) {
        if (node.epoch != epoch || inside) {
            throw std::runtime_error(inside ? "a handler runs in a handler" : "an item of another epoch");
        }
        inside = runtime.parameters().execution == Execution::handler;
        ++local.nodes;
        local.smallest = std::min(local.smallest, node.id);
        if (node.id % 3 == 0) {
            waiting.push_back(node);
        } else {
            expand(node);
        }
        inside = false;
    });
    std::vector<Agreed> agreed;
    for (; epoch < epochs; ++epoch) {
        local = {};
        const Node first = root(seed, runtime.rank(), epoch);
        channel.send(static_cast<int>(first.id % static_cast<std::uint64_t>(runtime.size())), first);
        const auto step = [&] {
            if (waiting.empty()) {
                return false;
            }
            const Node node = waiting.back();
            waiting.pop_back();
            expand(node);
            return true;
        };
        agreed.push_back(runtime.epoch(step, [&] { return Agreed{local.nodes, local.smallest}; }));
    }
    return agreed;
}

std::uint64_t expected_nodes(std::uint64_t seed, int ranks, std::uint32_t epoch) {
    std::uint64_t nodes = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        nodes += nodes_below(root(seed, rank, epoch));
    }
    return nodes;
}

constexpr std::array executions = {Execution::handler, Execution::fibre, Execution::coroutine};
constexpr std::array lengths = {0, 32, 256};

// 10,000 schedules of 1 to 8 ranks; items a message, execution, sends and delays differ too. Every item is
// handled once, in its epoch, and every rank learns of all, however messages and sums overtake each other.
TEST(Epochs, EndWhenNothingIsLeftUnderTenThousandSchedules) {
    for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
        const NetworkSettings network{.ranks = 1 + static_cast<int>(seed % 8),
                                      .seed = seed,
                                      .longest_delay = static_cast<int>(mix64(seed) % 100)};
        const Parameters parameters{.execution = executions[seed / 8 % 3],
                                    .buffer_bytes = lengths[seed / 24 % 3],
                                    .sends = 1 + static_cast<int>(seed / 72 % 3)};
        std::vector<std::vector<Agreed>> result;
        ASSERT_NO_THROW(
            on_ranks(network, parameters,
                     [&](Runtime& runtime, const Team&) { result.push_back(grow(seed, runtime)); }))
            << "seed " << seed;
        for (const auto& agreed : result) {
            for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
                ASSERT_EQ(agreed[epoch].sum, expected_nodes(seed, network.ranks, epoch)) << "seed " << seed;
                ASSERT_EQ(agreed[epoch].min, result[0][epoch].min) << "seed " << seed;
            }
        }
    }
}

TEST(Epochs, EndAtOnceWhereThereIsNothingToDo) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
        on_ranks({.ranks = ranks}, {}, [&](Runtime& runtime, const Team&) {
            const auto rank = static_cast<std::uint64_t>(runtime.rank());
            const Agreed agreed =
                runtime.epoch([] { return false; }, [&] { return Agreed{rank, 10 + rank}; });
            EXPECT_EQ(agreed.sum, static_cast<std::uint64_t>(ranks * (ranks - 1) / 2));
            EXPECT_EQ(agreed.min, 10U);
            // One to be balanced, one to be sure; a rank alone is.
            EXPECT_EQ(runtime.counters().waves, ranks == 1 ? 1U : 2U);
            EXPECT_EQ(runtime.counters().messages, 0U);
        });
    }
}

TEST(SimulatedNetworks, RaiseWhatARankRaisesAndGiveUpOnThoseThatDoNotEnd) {
    EXPECT_THROW(on_ranks({.ranks = 4}, {},
                          [](Runtime& runtime, const Team&) {
                              if (runtime.rank() == 2) {
                                  throw std::invalid_argument("rank 2");
                              }
                              runtime.epoch();
                          }),
                 std::invalid_argument);
    EXPECT_THROW(on_ranks({.ranks = 2, .turns = 1000}, {},
                          [](Runtime& runtime, const Team& team) {
                              if (runtime.rank() == 0) {
                                  team.barrier();
                              }
                          }),
                 std::runtime_error);
}

TEST(SimulatedNetworks, AreTeams) {
    for (int ranks = 1; ranks <= 5; ++ranks) {
        on_ranks({.ranks = ranks}, {}, [&](Runtime&, const Team& team) {
            EXPECT_EQ(team.all(Fold::sum, team.rank()), ranks * (ranks - 1) / 2);
            int value = team.rank();
            team.broadcast(value, ranks - 1);
            EXPECT_EQ(value, ranks - 1);
            EXPECT_EQ(team.gathered(std::vector<int>{team.rank()}).size(),
                      team.is_root() ? static_cast<std::size_t>(ranks) : 0U);
        });
    }
}

} // namespace
} // namespace goodsyard::runtime
