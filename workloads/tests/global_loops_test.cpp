#include "global/forall.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "global/delegates.hpp"
#include "global_schedules.hpp"

namespace goodsyard::global {
namespace {

using runtime::Execution;
using runtime::on_ranks;

/// A node of a binary tree.
struct Node {
    std::uint64_t id;
};

TEST(StolenTasks, MayBlockWhereverTheyRun) {
    constexpr std::uint64_t nodes = 200;
    for (std::uint64_t seed = 0; seed < 160; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            GlobalArray<std::uint64_t> visits(team, nodes, Dealing::cyclic);
            runtime::Stealable<Node> tree(runtime, all_ranks(runtime), seed);
            tree.on_turn([&](const Node& node) {
                const std::uint64_t before = delegates.fetch_add(visits[node.id], 1);
                EXPECT_EQ(before, 0U) << "a node is doubled with seed " << seed;
                for (const std::uint64_t child : {2 * node.id + 1, 2 * node.id + 2}) {
                    if (child < nodes) {
                        tree.add({child});
                    }
                }
            });
            if (team.rank() == 0) {
                tree.add({0});
            }
            runtime.epoch([&] { return tree.step(); }, [] { return Agreed{}; });
            for (const std::uint64_t visited : visits.own()) {
                EXPECT_EQ(visited, 1U) << "a node is lost with seed " << seed;
            }
            EXPECT_LE(runtime.counters().most_active, runtime.parameters().active_tasks);
            EXPECT_EQ(team.all(Fold::sum, runtime.counters().steals) > 0, team.size() > 1) << "seed " << seed;
        });
    }
}

constexpr std::array executions = {Execution::handler, Execution::fibre, Execution::coroutine};

TEST(Loops, VisitEachIndexOnceWhateverTheRanksAndTheThreshold) {
    std::uint64_t seed = 0;
    for (int ranks = 1; ranks <= 8; ++ranks) {
        for (const std::uint64_t size : {0, 1, 3, 100}) {
            for (const std::uint64_t threshold : {1, 7, 1000}) {
                for (const Execution execution : executions) {
                    ++seed;
                    on_ranks({.ranks = ranks, .seed = seed},
                             {.execution = execution,
                              .buffer_bytes = 32,
                              .sends = 2,
                              .active_tasks = 1 + seed % 4,
                              .poll_interval = 2},
                             [&](Runtime& runtime, const Team& team) {
                                 std::vector<std::uint64_t> visits(size);
                                 forall(runtime, size, [&](std::uint64_t i) { visits[i]++; }, threshold);
                                 for (std::uint64_t i = 0; i < size; ++i) {
                                     EXPECT_EQ(team.all(Fold::sum, visits[i]), 1U)
                                         << "index " << i << " of " << size;
                                 }
                             });
                }
            }
        }
    }
}

TEST(Loops, OverArraysVisitEachElementOnceOnItsOwner) {
    std::uint64_t seed = 0;
    for (const Dealing dealing : dealings) {
        for (int ranks = 1; ranks <= 8; ++ranks) {
            for (const std::uint64_t size : {0, 1, 60}) {
                for (const std::uint64_t threshold : {1, 4, 100}) {
                    ++seed;
                    on_ranks(
                        {.ranks = ranks, .seed = seed},
                        {.execution = executions[seed % 3], .poll_interval = 3},
                        [&](Runtime& runtime, const Team& team) {
                            GlobalArray<std::uint64_t> array(team, size, dealing, 3);
                            forall(
                                runtime, array,
                                [](std::uint64_t i, std::uint64_t& element) { element += i + 1; }, threshold);
                            for (std::uint64_t i = 0; i < size; ++i) {
                                EXPECT_EQ(*array[i].address(), i + 1) << "of " << size << " on " << ranks;
                            }
                            team.barrier();
                            EXPECT_EQ(runtime.counters().stolen_items, 0U);
                        });
                }
            }
        }
    }
}

/// Six loops over all ranks, in each `inner(runtime, indices, body, threshold)` over an array whose elements
/// it increments; the tasks of all ranks.
template <class Inner>
std::uint64_t tasks_of_nested_loops(std::uint64_t seed, Inner inner) {
    const std::uint64_t limit = std::array<std::uint64_t, 4>{1, 2, 5, 1000}[seed / 8 % 4];
    std::uint64_t tasks = 0;
    on_ranks({.ranks = 1 + static_cast<int>(seed % 8), .seed = seed},
             {.execution = Execution::fibre, .buffer_bytes = 48, .active_tasks = limit},
             [&](Runtime& runtime, const Team& team) {
                 Delegates delegates(runtime);
                 GlobalArray<std::uint64_t> array(team, 32, Dealing::cyclic);
                 forall(
                     runtime, 6,
                     [&](std::uint64_t) {
                         inner(
                             runtime, Indices{0, array.size()},
                             [&](std::uint64_t i) { delegates.fetch_add(array[i], 1); }, 2);
                     },
                     1);
                 for (std::uint64_t i = 0; i < array.size(); ++i) {
                     EXPECT_EQ(*array[i].address(), 6U) << "seed " << seed;
                 }
                 team.barrier();
                 EXPECT_LE(runtime.counters().most_active, limit);
                 tasks += runtime.counters().tasks;
             });
    return tasks;
}

TEST(Loops, NestInTasksWhateverTheLimitOfTasksIs) {
    for (std::uint64_t seed = 0; seed < 64; ++seed) {
        const std::uint64_t tasks = tasks_of_nested_loops(
            seed, [](auto& runtime, Indices indices, const auto& body, std::uint64_t threshold) {
                forall_here(runtime, indices, body, threshold);
            });
        EXPECT_LE(tasks, 6U * 16U) << "seed " << seed;
    }
}

TEST(Loops, ThatOnlyTheEpochWaitsForDoNoMoreThanTheThresholdInATaskWhateverTheLimitOfTasksIs) {
    for (std::uint64_t seed = 0; seed < 64; ++seed) {
        const std::uint64_t tasks = tasks_of_nested_loops(
            seed, [](auto& runtime, Indices indices, const auto& body, std::uint64_t threshold) {
                forall_async(runtime, indices, body, threshold);
            });
        EXPECT_EQ(tasks, 6U * 16U) << "seed " << seed;
    }
}

/// The example of README.md: walks along chains of a global array until they end, one task a chain; returns
/// the steps of all ranks.
std::uint64_t walk(Runtime& runtime, const Team& team, const GlobalArray<std::uint64_t>& next,
                   std::uint64_t chains) {
    Delegates delegates(runtime);
    GlobalArray<std::uint64_t> steps(team, 1);
    forall(
        runtime, chains,
        [&](std::uint64_t chain) {
            for (std::uint64_t at = chain; at < next.size();) {
                at = delegates.read(
                    next[at]); // Waits for another rank, while the tasks of other chains go on.
                delegates.post(steps[0], [](std::uint64_t& all) { all++; });
            }
        },
        1);
    std::uint64_t all = steps.own().empty() ? 0 : steps.own()[0];
    team.broadcast(all);
    return all;
}

TEST(Walks, HaveAsManyStepsAsTheirChainsAreLong) {
    for (int ranks = 1; ranks <= 4; ++ranks) {
        on_ranks({.ranks = ranks}, {.execution = Execution::fibre}, [](Runtime& runtime, const Team& team) {
            GlobalArray<std::uint64_t> next(team, 100, Dealing::cyclic);
            for (std::uint64_t place = 0; place < next.own().size(); ++place) {
                next.own()[place] = next.index(place) + 5; // Five chains of 20.
            }
            team.barrier();
            EXPECT_EQ(walk(runtime, team, next, 5), 100U);
            team.barrier();
        });
    }
}

} // namespace
} // namespace goodsyard::global
