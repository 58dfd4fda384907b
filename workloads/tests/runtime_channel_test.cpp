#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "harness/random.hpp"
#include "simulated_ranks.hpp"

namespace goodsyard::runtime {
namespace {

std::uint64_t flushes(Runtime& runtime, Flush reason) {
    return runtime.counters().flushes[static_cast<std::size_t>(reason)];
}

struct Number {
    std::uint64_t value;
};

TEST(Channels, CountWhyTheyFlush) {
    // 10 numbers of 8 bytes to rank 1: two messages of four are full, the other two wait for a reason.
    const auto ten = [](const Parameters& parameters, bool asks, Flush expected) {
        on_ranks({.ranks = 2}, parameters, [&](Runtime& runtime, const Team&) {
            std::uint64_t sum = 0;
            Channel<Number> channel(runtime);
            channel.on_receipt([&](const Number& number, int from) {
                EXPECT_EQ(from, 0);
                sum += number.value;
            });
            if (runtime.rank() == 0) {
                for (std::uint64_t i = 1; i <= 10; ++i) {
                    channel.send(1, {i});
                }
                if (asks) {
                    channel.flush();
                }
            }
            runtime.epoch();
            EXPECT_EQ(sum, runtime.rank() == 1 ? 55U : 0U);
            if (runtime.rank() == 0) {
                EXPECT_EQ(flushes(runtime, Flush::full), 2U);
                EXPECT_EQ(flushes(runtime, expected), 1U);
                EXPECT_EQ(runtime.counters().messages, 3U);
                EXPECT_EQ(runtime.counters().message_bytes, 80U);
                EXPECT_EQ(runtime.counters().items, 10U);
            } else {
                EXPECT_EQ(runtime.counters().items_handled, 10U);
            }
        });
    };
    ten({.buffer_bytes = 32}, false, Flush::idle);
    ten({.buffer_bytes = 32}, true, Flush::asked);
    ten({.buffer_bytes = 32, .flush_when_idle = false}, false, Flush::last);
    // A turn of the simulated network is a microsecond.
    ten({.buffer_bytes = 32, .flush_age_s = 20e-6, .flush_when_idle = false}, false, Flush::age);
}

TEST(Channels, SendEachItemByItselfWhereNothingIsAggregated) {
    on_ranks({.ranks = 3}, {.buffer_bytes = 0}, [](Runtime& runtime, const Team&) {
        Channel<Number> channel(runtime);
        std::uint64_t handled = 0;
        channel.on_receipt([&](const Number&) { handled++; });
        for (int to = 0; to < 3; ++to) {
            channel.send(to, {});
        }
        runtime.epoch();
        EXPECT_EQ(handled, 3U);
        EXPECT_EQ(flushes(runtime, Flush::single), 3U);
        EXPECT_EQ(runtime.counters().messages, 2U);
        EXPECT_EQ(runtime.counters().messages_to_self, 1U);
    });
}

TEST(Channels, KeepTheirItemsApart) {
    struct Pair {
        std::uint32_t a, b, c;
    };
    on_ranks({.ranks = 4, .seed = 5}, {.buffer_bytes = 24}, [](Runtime& runtime, const Team& team) {
        Channel<Number> numbers(runtime);
        Channel<Pair> pairs(runtime);
        std::uint64_t sum = 0;
        numbers.on_receipt([&](const Number& number) {
            pairs.send(static_cast<int>(number.value % 4), {1, 2, static_cast<std::uint32_t>(number.value)});
        });
        pairs.on_receipt([&](const Pair& pair) {
            EXPECT_EQ(pair.a, 1U);
            EXPECT_EQ(pair.b, 2U);
            sum += pair.c;
        });
        for (std::uint64_t i = 0; i < 25; ++i) {
            numbers.send(static_cast<int>(i % 3), {i});
        }
        runtime.epoch();
        EXPECT_EQ(team.all(Fold::sum, sum), 4U * 300U);
    });
}

/// Handlers that each send `fan_out` further items, with buffers of one item and one message on its way:
/// every rank is always out of room.
void flood(Execution execution, std::uint64_t seed) {
    constexpr std::uint64_t fan_out = 4;
    constexpr std::uint64_t depth = 5;
    on_ranks({.ranks = 4, .seed = seed},
             {.execution = execution, .buffer_bytes = 0, .sends = 1, .receives = 1},
             [&](Runtime& runtime, const Team& team) {
                 Channel<Number> channel(runtime);
                 std::uint64_t handled = 0;
                 int inside = 0;
                 int deepest = 0;
                 channel.on_receipt([&](const Number& number) {
                     deepest = std::max(deepest, ++inside);
                     ++handled;
                     for (std::uint64_t i = 0; number.value > 0 && i < fan_out; ++i) {
                         channel.send(static_cast<int>(i), {number.value - 1});
                     }
                     --inside;
                 });
                 if (runtime.rank() == 0) {
                     channel.send(3, {depth});
                 }
                 runtime.epoch();
                 EXPECT_EQ(team.all(Fold::sum, handled), (1U + 4 + 16 + 64 + 256 + 1024));
                 EXPECT_GT(team.all(Fold::sum, runtime.counters().waits_for_room), 0U);
                 if (execution != Execution::fibre) {
                     EXPECT_EQ(deepest, 1) << "a handler was run while another was sending";
                 }
             });
}

TEST(Channels, NeitherDeadlockNorRecurseWithBuffersOfOneMessage) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        for (const Execution execution : {Execution::handler, Execution::fibre, Execution::coroutine}) {
            flood(execution, seed);
        }
    }
}

TEST(Channels, ToAHandlerThatPrefetchesGiveEveryItemOnce) {
    struct Handler {
        std::uint64_t* prefetched;
        std::uint64_t* handled;
        void prefetch(const Number& number) const { *prefetched += number.value; }
        void operator()(const Number& number) const { *handled += number.value; }
    };
    on_ranks({.ranks = 2}, {.buffer_bytes = 200}, [](Runtime& runtime, const Team& team) {
        std::uint64_t prefetched = 0;
        std::uint64_t handled = 0;
        Channel<Number> channel(runtime);
        channel.on_receipt(Handler{&prefetched, &handled});
        for (std::uint64_t i = 0; i < 100; ++i) {
            channel.send(static_cast<int>(i % 2), {i});
        }
        runtime.epoch();
        EXPECT_EQ(prefetched, handled);
        EXPECT_EQ(team.all(Fold::sum, handled), 2U * 4950U);
    });
}

/// A value under a key.
struct Entry {
    std::uint32_t name;
    std::uint32_t amount;
    [[nodiscard]] std::uint64_t key() const { return name; }
    std::uint32_t& value() { return amount; }
    [[nodiscard]] const std::uint32_t& value() const { return amount; }
};

constexpr std::uint32_t names = 40;

/// The smallest and the summed amount of each name, over two epochs, and the items that were sent.
struct Ledger {
    std::array<std::uint64_t, names> sum = {};
    std::array<std::uint32_t, names> min = {};
    std::uint64_t items = 0;
    std::uint64_t combined = 0;
};

Ledger ledger_with(Cache cache, std::uint64_t seed) {
    Ledger ledger;
    ledger.min.fill(1000);
    on_ranks({.ranks = 3, .seed = seed}, {.buffer_bytes = 64, .cache = cache, .cache_bits = 4},
             [&](Runtime& runtime, const Team& team) {
                 Channel<Entry> channel(runtime);
                 channel.on_receipt([&](const Entry& entry) {
                     ledger.sum[entry.name] += entry.amount;
                     ledger.min[entry.name] = std::min(ledger.min[entry.name], entry.amount);
                 });
                 const Random random(9, static_cast<std::uint64_t>(runtime.rank()));
                 for (std::uint64_t i = 0; i < 400; ++i) {
                     const auto name = static_cast<std::uint32_t>(random.below(names, 2 * i));
                     const auto amount = static_cast<std::uint32_t>(random.below(4, 2 * i + 1));
                     channel.send(static_cast<int>(name % 3), {name, amount});
                     if (i == 200) {
                         runtime.epoch();
                     }
                 }
                 runtime.epoch();
                 ledger.items = team.all(Fold::sum, runtime.counters().items);
                 ledger.combined = team.all(Fold::sum, runtime.counters().combined);
             });
    return ledger;
}

TEST(Caches, LeaveOutWhatSaysNothingNewAndNothingElse) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Ledger all = ledger_with(Cache::none, seed);
        EXPECT_EQ(all.items, 1200U);
        EXPECT_EQ(all.combined, 0U);
        const Ledger sum = ledger_with(Cache::sum, seed);
        EXPECT_EQ(sum.sum, all.sum);
        const Ledger min = ledger_with(Cache::min, seed);
        EXPECT_EQ(min.min, all.min);
        const Ledger distinct = ledger_with(Cache::duplicates, seed);
        EXPECT_EQ(distinct.min, all.min);
        for (const Ledger& cached : {sum, min, distinct}) {
            EXPECT_EQ(cached.items + cached.combined, 1200U);
            EXPECT_LT(cached.items, 1150U);
        }
    }
}

TEST(Queues, KeepTheOrderWhileTheyGrow) {
    Queue<int> queue;
    int in = 0;
    int out = 0;
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 7; ++i) {
            queue.push(in++);
        }
        for (int i = 0; i < 5; ++i) {
            ASSERT_EQ(queue.pop(), out++);
        }
    }
    EXPECT_EQ(queue.size(), 200U);
    EXPECT_EQ(queue[0], out);
}

TEST(Routing, EveryItemArrivesInAsManyHopsAsItsRouteHas) {
    for (int size = 1; size <= 40; ++size) {
        for (const int ranks_of_node : {1, 3, 4, 16}) {
            for (const auto& [route, most] :
                 {std::pair{Route::direct, 1}, {Route::grid, 2}, {Route::node, 3}}) {
                for (int from = 0; from < size; ++from) {
                    for (int to = 0; to < size; ++to) {
                        int at = from;
                        int hops = 0;
                        while (at != to && hops <= most) {
                            at = Routing(route, at, size, ranks_of_node).next(to);
                            ASSERT_LT(at, size);
                            ++hops;
                        }
                        ASSERT_EQ(at, to);
                        ASSERT_LE(hops, most);
                    }
                }
            }
        }
    }
}

TEST(Routing, RanksOfAGridSendToARowAndAColumn) {
    std::set<int> partners;
    for (int to = 0; to < 64; ++to) {
        if (to != 27) {
            partners.insert(Routing(Route::grid, 27, 64, 1).next(to));
        }
    }
    EXPECT_EQ(partners.size(), 7U + 7U);
}

TEST(Routing, ARankSendsToItsNodeAndToAFractionOfTheOthers) {
    std::set<int> partners;
    for (int to = 0; to < 64; ++to) {
        if (to != 27) {
            partners.insert(Routing(Route::node, 27, 64, 4).next(to));
        }
    }
    EXPECT_EQ(partners.size(), 3U + 4U); // Three beside it, and for four nodes of 16 it sends.
}

TEST(Channels, ItemsArriveOnceByEveryRouteWithTheRankThatSentThem) {
    for (const Route route : {Route::direct, Route::grid, Route::node}) {
        for (const Execution execution : {Execution::handler, Execution::fibre, Execution::coroutine}) {
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                constexpr int ranks = 11;
                Parameters parameters{.execution = execution, .buffer_bytes = 64};
                parameters.route = route;
                on_ranks({.ranks = ranks, .seed = seed, .ranks_of_node = 4}, parameters,
                         [&](Runtime& runtime, const Team& team) {
                             std::vector<int> received(ranks);
                             Channel<Number> channel(runtime);
                             channel.on_receipt([&](const Number& number, int from) {
                                 ++received[static_cast<std::size_t>(from)];
                                 if (number.value > 0) {
                                     channel.send(from, {number.value - 1});
                                 }
                             });
                             for (int to = 0; to < ranks; ++to) {
                                 channel.send(to, {3});
                             }
                             runtime.epoch();
                             EXPECT_EQ(received, std::vector<int>(ranks, 4));
                             const auto forwarded = team.all(Fold::sum, runtime.counters().forwarded);
                             EXPECT_EQ(forwarded > 0, route != Route::direct);
                         });
            }
        }
    }
}

} // namespace
} // namespace goodsyard::runtime
