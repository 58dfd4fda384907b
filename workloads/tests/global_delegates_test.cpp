#include "global/delegates.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <vector>

#include "global/global_array.hpp"
#include "global/symmetric.hpp"
#include "global_schedules.hpp"

namespace goodsyard::global {
namespace {

using runtime::Execution;
using runtime::on_ranks;
using runtime::Task;

constexpr std::uint64_t counters = 7;
constexpr std::uint64_t tasks_of_rank = 12;
constexpr std::uint64_t additions = 5;

std::uint64_t counter_of(std::uint64_t seed, int rank, std::uint64_t task, std::uint64_t i) {
    return mix64(seed + 1000 * static_cast<std::uint64_t>(rank) + 10 * task + i) % counters;
}

/// Hold what all fetch-adds of 1 have returned to what atomic ones return: of each counter, 0, 1, 2, … once.
void expect_each_once(const Team& team, std::vector<std::vector<std::uint64_t>> local,
                      const GlobalArray<std::uint64_t>& array, std::uint64_t seed) {
    std::uint64_t all = 0;
    for (std::uint64_t counter = 0; counter < counters; ++counter) {
        const std::uint64_t count = *array[counter].address();
        std::vector<std::uint64_t> visited(count);
        for (const std::uint64_t value : local[counter]) {
            ASSERT_LT(value, count);
            ++visited[value];
        }
        for (std::uint64_t value = 0; value < count; ++value) {
            EXPECT_EQ(team.all(Fold::sum, visited[value]), 1U) << "seed " << seed;
        }
        all += count;
    }
    EXPECT_EQ(all, static_cast<std::uint64_t>(team.size()) * tasks_of_rank * additions) << "seed " << seed;
    team.barrier(); // All ranks have looked at each other's elements.
}

TEST(Delegates, OfTasksThatBlockAreAtomic) {
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            GlobalArray<std::uint64_t> array(team, counters, Dealing::cyclic);
            std::vector<std::vector<std::uint64_t>> returned(counters);
            for (std::uint64_t task = 0; task < tasks_of_rank; ++task) {
                runtime.tasks().spawn([&, task] {
                    for (std::uint64_t i = 0; i < additions; ++i) {
                        const std::uint64_t counter = counter_of(seed, runtime.rank(), task, i);
                        returned[counter].push_back(delegates.fetch_add(array[counter], 1));
                    }
                });
            }
            runtime.epoch();
            expect_each_once(team, returned, array, seed);
            EXPECT_LE(runtime.counters().most_active, runtime.parameters().active_tasks);
        });
    }
}

Task add_by_coroutine(Delegates* delegates, GlobalPtr<std::uint64_t> counter,
                      std::vector<std::uint64_t>* returned) {
    for (std::uint64_t i = 0; i < additions; ++i) {
        Future<std::uint64_t> before(delegates->tasks());
        delegates->fetch_add(counter, 1, before);
        co_await before;
        returned->push_back(before.value());
    }
}

TEST(Delegates, OfCoroutinesAreAtomic) {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::coroutine);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            GlobalArray<std::uint64_t> array(team, counters, Dealing::block);
            std::vector<std::vector<std::uint64_t>> returned(counters);
            for (std::uint64_t task = 0; task < tasks_of_rank; ++task) {
                const std::uint64_t counter = counter_of(seed, runtime.rank(), task, 0);
                runtime.tasks().run(add_by_coroutine(&delegates, array[counter], &returned[counter]));
            }
            runtime.epoch();
            expect_each_once(team, returned, array, seed);
            EXPECT_LE(runtime.counters().most_active, runtime.parameters().active_tasks);
        });
    }
}

TEST(Delegates, OfCompareAndSwapLoseNoUpdate) {
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            GlobalArray<std::uint64_t> array(team, 2, Dealing::cyclic);
            std::uint64_t failed = 0;
            for (std::uint64_t task = 0; task < tasks_of_rank; ++task) {
                runtime.tasks().spawn([&, task] {
                    // Read, and try until nobody has come in between.
                    for (;;) {
                        const std::uint64_t before = delegates.read(array[task % 2]);
                        if (delegates.compare_and_swap(array[task % 2], before, before + 1)) {
                            return;
                        }
                        ++failed;
                    }
                });
            }
            runtime.epoch();
            EXPECT_EQ(*array[0].address() + *array[1].address(),
                      static_cast<std::uint64_t>(team.size()) * tasks_of_rank)
                << "seed " << seed;
            team.barrier();
            if (team.size() > 2 && runtime.parameters().active_tasks > tasks_of_rank) {
                EXPECT_GT(team.all(Fold::sum, failed), 0U) << "nothing was contended with seed " << seed;
            }
        });
    }
}

TEST(Delegates, OfHandlersReportToFuturesAndEvents) {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::handler);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            GlobalArray<std::uint64_t> array(team, 16, Dealing::block);
            CompletionEvent event(runtime.tasks());
            std::deque<Future<std::uint64_t>> values;
            Future<void> written(runtime.tasks());
            Future<bool> swapped(runtime.tasks());
            for (std::uint64_t i = 0; i < array.size(); ++i) {
                delegates.call(array[i], [i](std::uint64_t& element) { element += i; }, event);
                delegates.post(array[i], [](std::uint64_t& element) { element += 100; });
            }
            runtime.epoch();
            EXPECT_TRUE(event.is_complete());
            const auto ranks = static_cast<std::uint64_t>(team.size());
            for (std::uint64_t i = 0; i < array.size(); ++i) {
                delegates.read(array[i], values.emplace_back(runtime.tasks()));
            }
            runtime.epoch();
            for (std::uint64_t i = 0; i < array.size(); ++i) {
                ASSERT_TRUE(values[i].is_set());
                EXPECT_EQ(values[i].value(), ranks * (i + 100)) << "seed " << seed;
            }
            const auto local = static_cast<std::uint64_t>(team.rank());
            delegates.write(array[local], 7, written);
            delegates.compare_and_swap(array[15 - local], 0, 1, swapped);
            runtime.epoch();
            EXPECT_TRUE(written.is_set());
            EXPECT_TRUE(swapped.is_set());
            EXPECT_FALSE(swapped.value());
            EXPECT_EQ(*array[local].address(), 7U);
            team.barrier();
        });
    }
}

/// As many bytes as a delegate takes, and no more than one: all lanes.
template <std::size_t bytes>
struct Text {
    std::array<char, bytes> letters{};
};
template <std::size_t bytes>
void carry(Delegates& delegates, const Symmetric<std::uint64_t>& object) {
    Text<bytes> text;
    text.letters.back() = 'z';
    const int next = (delegates.runtime().rank() + 1) % delegates.runtime().size();
    const Text<bytes> back = delegates.call(object.on(next), [text](std::uint64_t& received) {
        received += static_cast<unsigned char>(text.letters.back());
        return text;
    });
    EXPECT_EQ(back.letters.back(), 'z');
}

TEST(Delegates, CarryValuesOfAnyLength) {
    on_ranks({.ranks = 3}, {.execution = Execution::fibre, .buffer_bytes = 512},
             [](Runtime& runtime, const Team& team) {
                 Delegates delegates(runtime);
                 std::uint64_t received = 0;
                 const Symmetric<std::uint64_t> object(team, received);
                 runtime.tasks().spawn([&] {
                     carry<1>(delegates, object);
                     carry<8>(delegates, object);
                     carry<9>(delegates, object);
                     carry<24>(delegates, object);
                     carry<48>(delegates, object);
                     carry<49>(delegates, object);
                     carry<240>(delegates, object);
                 });
                 runtime.epoch();
                 EXPECT_EQ(received, 7U * 'z');
             });
}

TEST(Delegates, SpawnTasksThatMayWaitOnTheOwner) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            GlobalArray<std::uint64_t> sums(team, 1);
            struct Here {
                Delegates& delegates;
                GlobalPtr<std::uint64_t> sum;
            } here{delegates, sums[0]};
            const Symmetric<Here> everywhere(team, here);
            std::uint64_t seen = 0;
            runtime.tasks().spawn([&] {
                CompletionEvent event(runtime.tasks());
                for (int rank = 0; rank < team.size(); ++rank) {
                    delegates.spawn(
                        everywhere.on(rank), [](Here& place) { place.delegates.fetch_add(place.sum, 1); },
                        event);
                    delegates.spawn(everywhere.on(rank),
                                    [](Here& place) { place.delegates.fetch_add(place.sum, 100); });
                }
                event.wait();
                seen = delegates.read(sums[0]);
            });
            runtime.epoch();
            const auto ranks = static_cast<std::uint64_t>(team.size());
            EXPECT_GE(seen % 100, ranks) << "an event was complete before its tasks had ended, seed " << seed;
            EXPECT_EQ(*sums[0].address(), ranks * ranks * 101);
            team.barrier();
        });
    }
}

TEST(Delegates, ToTheRankItselfAreMessagesWhereThatIsAskedFor) {
    for (const bool to_self : {false, true}) {
        on_ranks({.ranks = 1}, {.execution = Execution::fibre, .delegates_to_self = to_self},
                 [&](Runtime& runtime, const Team& team) {
                     Delegates delegates(runtime);
                     GlobalArray<int> array(team, 10);
                     runtime.tasks().spawn([&] {
                         for (std::uint64_t i = 0; i < array.size(); ++i) {
                             delegates.write(array[i], 1);
                         }
                     });
                     runtime.epoch();
                     EXPECT_EQ(runtime.counters().delegates, to_self ? 10U : 0U);
                     EXPECT_EQ(runtime.counters().delegates_here, to_self ? 0U : 10U);
                     EXPECT_EQ(runtime.counters().suspensions, to_self ? 10U : 0U);
                     EXPECT_EQ(std::count(array.own().begin(), array.own().end(), 1), 10);
                 });
    }
}

TEST(Delegates, CannotBlockAHandler) {
    on_ranks({.ranks = 2}, {}, [](Runtime& runtime, const Team& team) {
        Delegates delegates(runtime);
        GlobalArray<int> array(team, 2);
        EXPECT_THROW(static_cast<void>(delegates.read(array[static_cast<std::uint64_t>(1 - team.rank())])),
                     std::logic_error);
    });
}

TEST(Delegates, SetFuturesForWhichTasksOfOtherRanksWait) {
    using Futures = std::deque<Future<std::uint64_t>>;
    constexpr std::size_t rounds = 10;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            Futures futures;
            for (std::size_t round = 0; round < rounds; ++round) {
                futures.emplace_back(runtime.tasks());
            }
            const Symmetric<Futures> everywhere(team, futures);
            std::uint64_t sum = 0;
            // A ring: in each round a rank waits for what the one before has sent, and sends one more.
            runtime.tasks().spawn([&] {
                const GlobalPtr<Futures> next = everywhere.on((team.rank() + 1) % team.size());
                const auto send = [&](std::size_t round) {
                    delegates.call(next, [sum, round](Futures& places) { places[round].set(sum + 1); });
                };
                for (std::size_t round = 0; round < rounds; ++round) {
                    if (team.rank() == 0) {
                        send(round);
                    }
                    futures[round].wait();
                    sum = futures[round].value();
                    if (team.rank() != 0) {
                        send(round);
                    }
                }
            });
            runtime.epoch();
            if (team.rank() == 0) {
                EXPECT_EQ(sum, rounds * static_cast<std::uint64_t>(team.size())) << "seed " << seed;
            }
        });
    }
}

} // namespace
} // namespace goodsyard::global
