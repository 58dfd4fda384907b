#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/failure.hpp"
#include "runtime/completion_event.hpp"
#include "runtime/control_objects.hpp"
#include "simulated_ranks.hpp"

namespace goodsyard::runtime {
namespace {

/// Tasks without ranks.
struct Alone {
    Counters counters;
    Tasks tasks{65536, counters};
    void run() {
        while (tasks.run_ready() || tasks.begin_some()) {
        }
    }
};

TEST(CompletionEvents, AreCompleteWhenAllThatWereEnrolledHaveEnded) {
    Alone alone;
    CompletionEvent event(alone.tasks);
    int ended = 0;
    int visited = -1;
    EXPECT_TRUE(event.is_complete());
    for (int i = 0; i < 3; ++i) {
        event.enroll();
        alone.tasks.spawn([&] {
            alone.tasks.yield();
            if (ended == 0) { // While others run, a further one begins.
                event.enroll();
                alone.tasks.spawn([&] {
                    ++ended;
                    event.complete();
                });
            }
            ++ended;
            event.complete();
        });
    }
    alone.tasks.run_fibre([&] {
        event.wait();
        visited = ended;
    });
    alone.run();
    EXPECT_EQ(visited, 4);
    // And once more.
    event.enroll(2);
    EXPECT_FALSE(event.is_complete());
    event.complete(2);
    EXPECT_TRUE(event.is_complete());
}

TEST(CompletionEvents, Nest) {
    Alone alone;
    CompletionEvent outer(alone.tasks);
    CompletionEvent middle(alone.tasks, &outer);
    CompletionEvent inner(alone.tasks, &middle);
    bool went_on = false;
    inner.enroll(2);
    alone.tasks.run([](CompletionEvent* awaited, bool* noted) -> Task {
        co_await *awaited;
        *noted = true;
    }(&outer, &went_on));
    inner.complete();
    EXPECT_FALSE(outer.is_complete());
    inner.complete();
    EXPECT_TRUE(outer.is_complete());
    alone.run();
    EXPECT_TRUE(went_on);
    // Each counts once in its parent, however many are enrolled with it, and again after it was complete.
    middle.enroll(5);
    outer.enroll();
    middle.complete(5);
    EXPECT_FALSE(outer.is_complete());
    outer.complete();
    EXPECT_TRUE(outer.is_complete());
}

TEST(Limits, LetFurtherTasksWait) {
    for (const std::uint64_t limit : {1, 3, 20}) {
        Counters counters;
        Tasks tasks(65536, counters, limit);
        std::uint64_t ended = 0;
        const auto body = [&] {
            EXPECT_LE(tasks.active(), limit);
            tasks.yield();
            EXPECT_LE(tasks.active(), limit);
            ++ended;
        };
        for (int i = 0; i < 10; ++i) {
            tasks.run_fibre(body);
            tasks.spawn(body);
            tasks.run([](Tasks* local, std::uint64_t* count) -> Task {
                co_await local->yielded();
                ++*count;
            }(&tasks, &ended));
        }
        while (tasks.run_ready() || tasks.begin_some()) {
        }
        EXPECT_EQ(ended, 30U) << "limit " << limit;
        EXPECT_EQ(counters.tasks, 30U);
        EXPECT_EQ(counters.most_active, std::min<std::uint64_t>(limit, 20));
        EXPECT_EQ(tasks.active(), 0U);
        EXPECT_EQ(tasks.unbegun(), 0U);
    }
}

TEST(Limits, HoldForItemsOfChannels) {
    for (const Execution execution : {Execution::fibre, Execution::coroutine}) {
        on_ranks({.ranks = 3}, {.execution = execution, .active_tasks = 2},
                 [&](Runtime& runtime, const Team& team) {
                     Channel<std::uint64_t> channel(runtime);
                     std::uint64_t sum = 0;
                     channel.on_receipt([&](const std::uint64_t& item) { sum += item; });
                     for (int to = 0; to < team.size(); ++to) {
                         for (std::uint64_t i = 0; i < 20; ++i) {
                             channel.send(to, i);
                         }
                     }
                     runtime.epoch();
                     EXPECT_EQ(sum, 3U * 190);
                     EXPECT_LE(runtime.counters().most_active, 2U);
                 });
    }
}

TEST(Spawning, BeginsTheNewestFirstWithoutASwitchBetweenThoseThatDoNotWait) {
    Alone alone;
    std::vector<int> order;
    for (int i = 0; i < 4; ++i) {
        alone.tasks.spawn([&, i] {
            order.push_back(i);
            if (i == 2) {
                alone.tasks.yield();
                order.push_back(10 + i);
            }
        });
    }
    EXPECT_TRUE(order.empty());
    EXPECT_TRUE(alone.tasks.can_go_on());
    alone.run();
    EXPECT_EQ(order, (std::vector<int>{3, 2, 1, 0, 12}));
    EXPECT_EQ(alone.counters.switches, 1U) << "of the task that let others go first";
    EXPECT_EQ(alone.counters.tasks, 4U);
}

TEST(Spawning, RaisesWhatABodyRaisesAndGoesOn) {
    Alone alone;
    bool ran = false;
    alone.tasks.spawn([&] { ran = true; });
    alone.tasks.spawn([] { throw std::invalid_argument("a body"); });
    EXPECT_THROW(alone.tasks.begin_some(), std::invalid_argument);
    alone.run();
    EXPECT_TRUE(ran);
    EXPECT_EQ(alone.tasks.active(), 0U);
}

TEST(BlockedTime, EndsWhereTheWorkBeginsThatEndsTheWait) {
    // The task of rank 0 waits for a message that rank 1 sends late, whose handler works for longer than
    // that.
    constexpr int turns_before = 100;
    constexpr std::uint64_t turns_of_work = 1000;
    const Parameters parameters = settled({.execution = Execution::fibre});
    const Computation computation(ComputeMode::off, "");
    NetworkSettings network;
    network.buffer_bytes = capacity_bytes(parameters);
    SimulatedNetwork(network).run([&](const Team&, Transport& transport) {
        Runtime runtime(transport, parameters, computation);
        Future<void> released(runtime.tasks());
        Channel<std::uint64_t> work(runtime);
        double work_begin_s = 0;
        work.on_receipt(
            [&](const std::uint64_t& turns) {
                work_begin_s = transport.now_s();
                for (std::uint64_t i = 0; i < turns; ++i) {
                    transport.idle();
                }
                released.set();
            },
            always<Execution::handler>);
        const double begin_s = transport.now_s();
        int remaining = runtime.rank() == 1 ? turns_before : 0;
        if (runtime.rank() == 0) {
            runtime.tasks().run_fibre([&released] { released.wait(); });
        }
        const auto step = [&] {
            if (remaining == 0) {
                return false;
            }
            if (--remaining == 0) {
                work.send(0, turns_of_work);
            }
            return true;
        };
        runtime.epoch(step, [] { return Agreed{}; });
        const double blocked_s = runtime.counters().blocked_s;
        if (runtime.rank() == 0) {
            EXPECT_LE(blocked_s, work_begin_s - begin_s);
            EXPECT_GE(blocked_s, (work_begin_s - begin_s) / 2);
        } else {
            EXPECT_EQ(blocked_s, 0);
        }
    });
}

/// What all of three ranks say when tasks of rank 1 that `begin` makes wait for ever.
std::string told(const Parameters& parameters, const std::function<void(Runtime&)>& begin) {
    std::set<std::string> texts;
    int failed = 0;
    on_ranks({.ranks = 3}, parameters, [&](Runtime& runtime, const Team&) {
        if (runtime.rank() == 1) {
            begin(runtime);
        }
        try {
            runtime.epoch();
        } catch (const SharedFailure& error) {
            ++failed;
            texts.insert(error.what());
        }
    });
    EXPECT_EQ(failed, 3);
    EXPECT_EQ(texts.size(), 1U) << "ranks say different things";
    return *texts.begin();
}

TEST(WaitingForEver, IsToldOnAllRanksWithTheTaskAndWhatItWaitsFor) {
    std::optional<Future<int>> future;
    EXPECT_EQ(told({.execution = Execution::fibre},
                   [&](Runtime& runtime) {
                       future.emplace(runtime.tasks(), "the mailbox to be filled");
                       runtime.tasks().spawn([] {});
                       runtime.tasks().spawn([&future] { future->wait(); });
                       runtime.tasks().spawn([] {});
                   }),
              "1 task waits for what never comes, and nothing else is left to do on any rank: on rank 1 task "
              "2 waits "
              "for the mailbox to be filled");
    EXPECT_EQ(told({.execution = Execution::fibre, .active_tasks = 1},
                   [&](Runtime& runtime) {
                       future.emplace(runtime.tasks());
                       runtime.tasks().run_fibre([&future] { future->wait(); });
                       runtime.tasks().run_fibre([&future] { future->set(1); });
                   }),
              "2 tasks wait for what never comes, and nothing else is left to do on any rank: on rank 1 task "
              "1 waits "
              "for a future; tasks that were not begun, since --active-tasks are active: 1");
    std::optional<CompletionEvent> event;
    EXPECT_EQ(told({.execution = Execution::coroutine},
                   [&](Runtime& runtime) {
                       event.emplace(runtime.tasks());
                       event->enroll();
                       runtime.tasks().run(
                           [](CompletionEvent* awaited) -> Task { co_await *awaited; }(&*event));
                   }),
              "1 task waits for what never comes, and nothing else is left to do on any rank: on rank 1 a "
              "coroutine "
              "waits for a completion event");
}

} // namespace
} // namespace goodsyard::runtime
