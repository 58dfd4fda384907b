#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#include <vector>

#include "harness/failure.hpp"
#include "runtime/control_objects.hpp"
#include "simulated_ranks.hpp"

namespace goodsyard::runtime {
namespace {

TEST(Stacks, OfManyRanksInOneProcessAreThereWhenTheirGuardPagesAreNotAllMapped) {
    constexpr int ranks = 6;
    constexpr int stacks_of_rank = 16'384; // Guarded all together, they take more mappings than Linux allows.
    std::vector<std::unique_ptr<StackPool>> pools;
    for (int rank = 0; rank < ranks; ++rank) {
        pools.push_back(std::make_unique<StackPool>(8192));
        for (int i = 0; i < stacks_of_rank; ++i) {
            const Stack stack = pools.back()->take();
            if (i % 1024 == 0) {
                static_cast<char*>(stack.bottom)[stack.bytes - 1] = 1;
            }
        }
    }
    pools.clear();
    // What is given back can be guarded again.
    StackPool again(8192);
    EXPECT_NE(again.take().bottom, nullptr);
}

TEST(Fibres, LeaveNothingMarkedOnTheirStacks) {
    StackPool stacks(65536);
    // Ended, given up while it is suspended, and never begun.
    for (int resumed = 2; resumed >= 0; --resumed) {
        const Stack stack = stacks.take();
        {
            std::function<void()> suspend;
            Fibre fibre(stack, [&] { suspend(); });
            suspend = [&] { fibre.suspend(); };
            for (int i = 0; i < resumed; ++i) {
                fibre.resume();
            }
            EXPECT_EQ(fibre.has_ended(), resumed == 2);
        }
#ifdef __SANITIZE_ADDRESS__
        EXPECT_EQ(__asan_region_is_poisoned(stack.bottom, stack.bytes), nullptr) << resumed;
        // Nor does the sanitizer take the fibre's stack for this one.
        const void* bottom = nullptr;
        std::size_t bytes = 0;
        __sanitizer_start_switch_fiber(nullptr, stack.bottom, stack.bytes);
        __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
        __sanitizer_start_switch_fiber(nullptr, bottom, bytes);
        __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
        EXPECT_NE(bottom, stack.bottom) << resumed;
#endif
    }
}

TEST(Tasks, CountWhateverBeginsOneForTheSimulatedClock) {
    Counters counters;
    Tasks tasks(65536, counters, 4);
    const auto coroutine = [](Tasks* all) -> Task { co_await all->yielded(); };
    // At once, from another task, late since there is no room, and spawned.
    for (int i = 0; i < 5; ++i) {
        tasks.run_fibre([&tasks] { tasks.yield(); });
    }
    tasks.spawn([&tasks] { tasks.run_fibre([] {}); });
    tasks.run(coroutine(&tasks));
    while (tasks.run_ready() || tasks.begin_some()) {
    }
    struct {
        int left = 3;
        [[nodiscard]] bool any() const { return left > 0; }
        void run() { left--; }
    } without_switch;
    EXPECT_EQ(tasks.run_each(without_switch, 10), 3U);
    const Tasks::Activity activity = tasks.take_activity();
    EXPECT_EQ(activity.fibres_begun, 5U + 2U + 3U);
    // Four begin at once. The one that is spawned goes first of what there is no room for: it begins another
    // on a stack of that one's own, and has the fifth follow it on its stack. The last three share one.
    EXPECT_EQ(activity.stacks_entered, 4U + 1U + 1U + 1U);
    EXPECT_EQ(activity.coroutines_begun, 1U);
    EXPECT_EQ(activity.fibres_begun + activity.coroutines_begun, counters.tasks);
    EXPECT_EQ(activity.switches, 5U);
    EXPECT_EQ(activity.resumptions, 1U);
    EXPECT_EQ(tasks.take_activity().fibres_begun, 0U);
}

TEST(Tasks, RunAtOnceUntilTheyWaitAndGoOnInOrder) {
    Counters counters;
    Tasks tasks(65536, counters);
    std::vector<int> order;
    for (int i = 0; i < 3; ++i) {
        tasks.run_fibre([&, i] {
            order.push_back(i);
            tasks.yield();
            order.push_back(10 + i);
        });
    }
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(tasks.active(), 3U);
    EXPECT_TRUE(tasks.run_ready());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 10, 11, 12}));
    EXPECT_EQ(tasks.active(), 0U);
    EXPECT_FALSE(tasks.run_ready());
    EXPECT_EQ(counters.tasks, 3U);
    EXPECT_EQ(counters.switches, 3U);
    EXPECT_EQ(counters.yields, 3U);
    EXPECT_EQ(counters.most_active, 3U);
}

TEST(Tasks, BeginTasks) {
    Counters counters;
    Tasks tasks(65536, counters);
    std::vector<int> order;
    tasks.run_fibre([&] {
        order.push_back(0);
        tasks.run_fibre([&] {
            order.push_back(1);
            tasks.yield();
            order.push_back(3);
        });
        order.push_back(2);
    });
    tasks.run_ready();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Tasks, RaiseWhatTheirBodiesRaise) {
    Counters counters;
    Tasks tasks(65536, counters);
    EXPECT_THROW(tasks.run_fibre([] { throw std::invalid_argument("at once"); }), std::invalid_argument);
    tasks.run_fibre([&] {
        tasks.yield();
        throw std::out_of_range("later");
    });
    EXPECT_THROW(tasks.run_ready(), std::out_of_range);
    EXPECT_THROW(tasks.run([]() -> Task {
        throw std::domain_error("a coroutine");
        co_return;
    }()),
                 std::domain_error);
    EXPECT_EQ(tasks.active(), 0U);
}

TEST(Tasks, AreUnwoundWhereTheyNeverEnd) {
    Counters counters;
    int destroyed = 0;
    struct Destroyed {
        int& count;
        ~Destroyed() { count++; }
    };
    {
        Tasks tasks(65536, counters);
        tasks.run_fibre([&] {
            const Destroyed noted{destroyed};
            tasks.yield();
        });
        tasks.run([](Tasks* local, int* count) -> Task {
            const Destroyed noted{*count};
            co_await local->yielded();
        }(&tasks, &destroyed));
        EXPECT_EQ(destroyed, 0);
    }
    EXPECT_EQ(destroyed, 2);
}

TEST(Tasks, ThatWaitInACatchBlockKeepTheExceptionThatTheyCaught) {
    Counters counters;
    Tasks tasks(65536, counters);
    constexpr int count = 64;
    std::vector<std::string> rethrown(count);
    // In the order in which they began to wait, in the reverse order, and mixed with tasks that caught
    // nothing.
    for (int i = 0; i < count; ++i) {
        tasks.run_fibre([&tasks, &rethrown, i] {
            try {
                try {
                    throw std::runtime_error(std::to_string(i));
                } catch (const std::runtime_error&) {
                    for (int round = 0; round < 1 + (count - i) % 5; ++round) {
                        tasks.yield();
                    }
                    throw;
                }
            } catch (const std::exception& error) {
                rethrown[static_cast<std::size_t>(i)] = error.what();
            }
        });
        tasks.run_fibre([&tasks] {
            EXPECT_EQ(std::current_exception(), nullptr);
            tasks.yield();
            EXPECT_EQ(std::current_exception(), nullptr);
        });
    }
    while (tasks.run_ready()) {
        EXPECT_EQ(std::current_exception(), nullptr) << "who resumes tasks has caught nothing";
    }
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(rethrown[static_cast<std::size_t>(i)], std::to_string(i));
    }
}

TEST(Tasks, AreResumedInACatchBlockAndLeaveItsExceptionThere) {
    Counters counters;
    Tasks tasks(65536, counters);
    const auto wait_in_catch = [&tasks] {
        try {
            throw std::out_of_range("of the task");
        } catch (const std::out_of_range&) {
            tasks.yield();
        }
    };
    try {
        throw std::invalid_argument("of the rank");
    } catch (const std::invalid_argument&) {
        tasks.run_fibre(wait_in_catch);
        try {
            throw;
        } catch (const std::exception& error) {
            EXPECT_STREQ(error.what(), "of the rank");
        }
    }
    tasks.run_ready();
    EXPECT_EQ(std::current_exception(), nullptr);
}

TEST(Tasks, ThatWaitWhileTheirFramesAreUnwoundCountNobodyElsesExceptions) {
    Counters counters;
    Tasks tasks(65536, counters);
    std::vector<int> on_their_way;
    struct Waits {
        Tasks& tasks;
        std::vector<int>& noted;
        ~Waits() {
            tasks.yield();
            noted.push_back(std::uncaught_exceptions());
        }
    };
    tasks.run_fibre([&] {
        try {
            const Waits waits{tasks, on_their_way};
            throw std::runtime_error("unwinds");
        } catch (const std::runtime_error&) {
            on_their_way.push_back(std::uncaught_exceptions());
        }
    });
    tasks.run_fibre([&] { on_their_way.push_back(std::uncaught_exceptions()); });
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    tasks.run_ready();
    EXPECT_EQ(on_their_way, (std::vector<int>{0, 1, 0}));
}

TEST(Tasks, AreGivenUpInACatchBlock) {
    Counters counters;
    {
        Tasks tasks(65536, counters);
        tasks.run_fibre([&tasks] {
            try {
                throw std::runtime_error("caught");
            } catch (const std::runtime_error&) {
                tasks.yield();
            }
        });
    }
    EXPECT_EQ(std::current_exception(), nullptr);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(Tasks, OfTwentyThousandLiveAllEnd) {
    Counters counters;
    Tasks tasks(16384, counters);
    constexpr std::uint64_t live = 20'000; // Beyond the stacks that have guard pages.
    std::uint64_t steps = 0;
    for (std::uint64_t i = 0; i < live; ++i) {
        tasks.run_fibre([&] {
            for (int step = 0; step < 3; ++step) {
                ++steps;
                tasks.yield();
            }
        });
    }
    while (tasks.run_ready()) {
    }
    EXPECT_EQ(steps, 3 * live);
    EXPECT_EQ(tasks.active(), 0U);
    EXPECT_EQ(counters.most_active, live);
}

TEST(ControlObjects, LetFibresAndCoroutinesGoOnWhenTheyAreSet) {
    Counters counters;
    Tasks tasks(65536, counters);
    Future<int> future(tasks);
    Latch gate(tasks, 2);
    Reduction<int> sum(tasks, 3);
    std::vector<int> visited;
    tasks.run_fibre([&] {
        future.wait();
        visited.push_back(future.value());
        gate.count_down();
    });
    tasks.run([](Future<int>* awaited, std::vector<int>* noted, Latch* arriving) -> Task {
        co_await *awaited;
        noted->push_back(awaited->value() + 1);
        arriving->count_down();
    }(&future, &visited, &gate));
    tasks.run_fibre([&] {
        gate.wait();
        sum.wait();
        visited.push_back(sum.value());
    });
    for (int i = 1; i <= 3; ++i) {
        sum.give(i);
    }
    EXPECT_TRUE(visited.empty());
    future.set(7);
    while (tasks.run_ready()) {
    }
    EXPECT_EQ(visited, (std::vector<int>{7, 8, 6}));
    EXPECT_EQ(tasks.active(), 0U);
    EXPECT_EQ(counters.suspensions, 3U) << "what is set is not waited for";
}

TEST(ControlObjects, CannotBeWaitedForByWhatIsNoTask) {
    Counters counters;
    Tasks tasks(65536, counters);
    Future<int> future(tasks);
    EXPECT_THROW(future.wait(), std::logic_error);
}

/// A read of a value of another rank: the task that asks waits for the reply.
struct Question {
    Future<std::uint64_t>* reply;
    std::uint64_t place;
};
struct Answer {
    Future<std::uint64_t>* reply;
    std::uint64_t value;
};
struct Start {
    std::uint64_t tasks;
};

void read_remotely(Execution execution, std::uint64_t seed) {
    on_ranks({.ranks = 4, .seed = seed}, {.execution = execution, .buffer_bytes = 48, .sends = 2},
             [&](Runtime& runtime, const Team& team) {
                 std::uint64_t sum = 0;
                 Channel<Question> questions(runtime);
                 Channel<Answer> answers(runtime);
                 Channel<Start> starts(runtime);
                 questions.on_receipt([&](const Question& question, int from) {
                     answers.send(from, {question.reply,
                                         100 * static_cast<std::uint64_t>(runtime.rank()) + question.place});
                 });
                 answers.on_receipt([](const Answer& answer) { answer.reply->set(answer.value); });
                 if (execution == Execution::fibre) {
                     starts.on_receipt([&](const Start& start) {
                         Future<std::uint64_t> reply(runtime.tasks());
                         questions.send(static_cast<int>(start.tasks % 4), {&reply, start.tasks});
                         reply.wait();
                         sum += reply.value();
                     });
                 } else {
                     starts.on_receipt([&](Start start) -> Task {
                         Future<std::uint64_t> reply(runtime.tasks());
                         questions.send(static_cast<int>(start.tasks % 4), {&reply, start.tasks});
                         co_await reply;
                         sum += reply.value();
                     });
                 }
                 for (std::uint64_t i = 0; i < 40; ++i) {
                     starts.send(runtime.rank(), {i});
                 }
                 runtime.epoch();
                 EXPECT_EQ(sum, 10U * (0 + 100 + 200 + 300) + 780U);
                 EXPECT_EQ(runtime.tasks().active(), 0U);
                 EXPECT_GE(team.all(Fold::sum, runtime.counters().suspensions), 160U);
             });
}

TEST(ControlObjects, MakeRemoteReadsLookLocal) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        read_remotely(Execution::fibre, seed);
        read_remotely(Execution::coroutine, seed);
    }
}

TEST(Handlers, ThatAreCoroutinesNeedCoroutines) {
    on_ranks({.ranks = 1}, {.execution = Execution::fibre}, [](Runtime& runtime, const Team&) {
        Channel<Start> channel(runtime);
        EXPECT_THROW(channel.on_receipt([](Start) -> Task { co_return; }), UsageError);
    });
}

TEST(Presets, DecideWhatIsNotGiven) {
    const Parameters am = settled({});
    EXPECT_EQ(am.execution, Execution::handler);
    EXPECT_GT(am.buffer_bytes, 1000);
    const Parameters hpx = settled({.preset = Preset::hpx_5});
    EXPECT_EQ(hpx.execution, Execution::fibre);
    EXPECT_EQ(hpx.buffer_bytes, 0);
    const Parameters between =
        settled({.preset = Preset::hpx_5, .execution = Execution::handler, .buffer_bytes = 64});
    EXPECT_EQ(between.execution, Execution::handler);
    EXPECT_EQ(between.buffer_bytes, 64);
    EXPECT_THROW(static_cast<void>(settled({.transport = TransportKind::ring, .idle = Idle::wait})),
                 UsageError);
}

} // namespace
} // namespace goodsyard::runtime
