#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>

#include "containers/counting_set.hpp"
#include "harness/failure.hpp"
#include "runtime/control_objects.hpp"
#include "runtime/record_channel.hpp"
#include "runtime/stealable.hpp"
#include "simulated_ranks.hpp"

namespace goodsyard::runtime {
namespace {

/// What a rank does that loses work, and what the program ends with.
struct Losing {
    const char* name;
    std::function<void(Runtime&, const Team&)> body;
    const char* sentence; ///< A regular expression.
    Parameters parameters = {};
};

struct Added {
    std::uint64_t number;
    std::uint64_t times;
    [[nodiscard]] std::uint64_t key() const { return number; }
    [[nodiscard]] std::uint64_t& value() { return times; }
    [[nodiscard]] const std::uint64_t& value() const { return times; }
};

void send_numbers(Runtime& runtime, int count) {
    Channel<int> numbers(runtime);
    int handled = 0;
    numbers.on_receipt([&](int) { ++handled; });
    runtime.epoch();
    for (int i = 0; i < count; ++i) {
        numbers.send(i % runtime.size(), i);
    }
}

class LostWork : public testing::TestWithParam<Losing> {};

TEST_P(LostWork, EndsTheProgramWithASentenceAndAnExitCode) {
    for (const int ranks : {1, 2, 3}) {
        EXPECT_EXIT(on_ranks({.ranks = ranks}, GetParam().parameters, GetParam().body),
                    testing::ExitedWithCode(1),
                    "^[^\n]+: rank [0-2]: " + std::string(GetParam().sentence) + "\n$");
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, LostWork,
    testing::Values(Losing{"InOpenMessages", [](Runtime& runtime, const Team&) { send_numbers(runtime, 7); },
                           "7 items of Channel<int> \\(runtime_lost_work_test.cpp:[0-9]+\\) that were sent "
                           "after the last epoch are lost: all ranks call "
                           "epoch\\(\\) before their end"},
                    Losing{"InMessagesThatWereSent",
                           [](Runtime& runtime, const Team&) { send_numbers(runtime, 1000); },
                           "1000 items of Channel<int> \\(runtime_lost_work_test.cpp:[0-9]+\\) that .+",
                           {.buffer_bytes = 16}},
                    Losing{"OnTheirWayThroughOtherRanks",
                           [](Runtime& runtime, const Team&) { send_numbers(runtime, 30); },
                           "30 items of Channel<int> \\(runtime_lost_work_test.cpp:[0-9]+\\) that .+",
                           {.route = Route::grid}},
                    Losing{"OneByOne",
                           [](Runtime& runtime, const Team&) { send_numbers(runtime, 10); },
                           "10 items of Channel<int> \\(runtime_lost_work_test.cpp:[0-9]+\\) that .+",
                           {.buffer_bytes = 0}},
                    Losing{"InACache",
                           [](Runtime& runtime, const Team&) {
                               Channel<Added> added(runtime);
                               added.on_receipt([](const Added&) {});
                               for (std::uint64_t i = 0; i < 100; ++i) {
                                   added.send(0, {i % 5, 1});
                               }
                           },
                           "5 items of Channel<.*Added> \\(.+\\) that .+",
                           {.cache = Cache::sum}},
                    Losing{"OfRecords",
                           [](Runtime& runtime, const Team&) {
                               RecordChannel records(runtime, [](std::span<const std::byte>, int) {});
                               for (int i = 0; i < 3; ++i) {
                                   records.send(0, std::as_bytes(std::span("text")));
                               }
                           },
                           "3 records of RecordChannel \\(.+\\) that .+"},
                    Losing{"OfRecordsByARoute",
                           [](Runtime& runtime, const Team&) {
                               RecordChannel records(runtime, [](std::span<const std::byte>, int) {});
                               for (int i = 0; i < 3; ++i) {
                                   records.send((runtime.rank() + 1) % runtime.size(),
                                                std::as_bytes(std::span("text")));
                               }
                           },
                           "3 records of RecordChannel \\(.+\\) that .+",
                           {.route = Route::grid}},
                    Losing{"OfItemsThatNobodyWorkedOn",
                           [](Runtime& runtime, const Team&) {
                               Stealable<int> items(runtime, all_ranks(runtime));
                               items.on_turn([](int) {});
                               items.add(1);
                               items.add(2);
                           },
                           "2 items of Stealable<int> that nobody worked on are lost: .+"},
                    Losing{"OfTasksThatWereNeverBegun",
                           [](Runtime& runtime, const Team&) {
                               runtime.epoch();
                               runtime.tasks().spawn([] {});
                           },
                           "1 tasks? that .+"},
                    Losing{"OfTasksThatWait",
                           [](Runtime& runtime, const Team&) {
                               Future<int> never(runtime.tasks());
                               runtime.tasks().run_fibre([&] { never.wait(); });
                               runtime.tasks().run_fibre([&] { runtime.tasks().yield(); });
                           },
                           "2 tasks that were begun or spawned after the last epoch are lost: .+"},
                    Losing{"OfKeysInACountingSet",
                           [](Runtime& runtime, const Team& team) {
                               global::Messages messages(runtime);
                               containers::CountingSet<int> counts(team, messages);
                               counts.async_insert(1);
                               counts.async_insert(1);
                               counts.async_insert(2);
                           },
                           "2 keys that were inserted into a CountingSet are lost: .+"}),
    [](const auto& tested) { return tested.param.name; });

/// What a rank does with a runtime after it has caught what a handler raised around an epoch.
struct Using {
    const char* name;
    std::function<void(Runtime&, Channel<int>&)> use;
};

class LeftEpoch : public testing::TestWithParam<Using> {};

void catch_around_epoch(Runtime& runtime, const std::function<void(Runtime&, Channel<int>&)>& use) {
    Channel<int> numbers(runtime);
    numbers.on_receipt([](int number) {
        if (number == 5) {
            throw std::invalid_argument("five");
        }
    });
    for (int i = 0; i < 1000; ++i) {
        numbers.send(runtime.rank(), i);
    }
    try {
        runtime.epoch();
    } catch (const std::invalid_argument&) {
        use(runtime, numbers);
    }
}

TEST_P(LeftEpoch, IsSaidWhereTheRuntimeIsUsedOnceMore) {
    for (const int ranks : {1, 3}) {
        EXPECT_EXIT(
            on_ranks({.ranks = ranks}, {},
                     [](Runtime& runtime, const Team&) { catch_around_epoch(runtime, GetParam().use); }),
            testing::ExitedWithCode(1),
            "^[^\n]+: rank [0-2]: an exception has left an epoch and was caught, so that items are "
            "lost: .+\n$");
    }
}

INSTANTIATE_TEST_SUITE_P(
    Uses, LeftEpoch,
    testing::Values(Using{"Epoch", [](Runtime& runtime, Channel<int>&) { runtime.epoch(); }},
                    Using{"Message",
                          [](Runtime&, Channel<int>& numbers) {
                              numbers.send(0, 1);
                              numbers.flush();
                          }},
                    Using{"Channel",
                          [](Runtime& runtime, Channel<int>&) { const Channel<int> further(runtime); }},
                    Using{"EndOfTheChannel", [](Runtime&, Channel<int>&) {}}),
    [](const auto& tested) { return tested.param.name; });

TEST(LeftEpochs, AreSaidAtTheEndOfTheRuntimeWhereTheirChannelsAreUnwound) {
    EXPECT_EXIT(on_ranks({.ranks = 2}, {},
                         [](Runtime& runtime, const Team&) {
                             try {
                                 Channel<int> numbers(runtime);
                                 numbers.on_receipt([](int) { throw std::invalid_argument("planted"); });
                                 numbers.send(runtime.rank(), 1);
                                 runtime.epoch();
                             } catch (const std::invalid_argument&) {
                             }
                         }),
                testing::ExitedWithCode(1), "an exception has left an epoch");
}

TEST(LeftEpochs, ByWhatStepOrReportRaiseAreLeftToo) {
    for (const bool by_step : {true, false}) {
        EXPECT_EXIT(on_ranks({.ranks = 2}, {},
                             [by_step](Runtime& runtime, const Team&) {
                                 const auto fail = [](bool now) {
                                     return now ? throw std::invalid_argument("planted") : false;
                                 };
                                 EXPECT_THROW(runtime.epoch([&] { return fail(by_step); },
                                                            [&] { return Agreed{.sum = fail(!by_step)}; }),
                                              std::invalid_argument);
                             }),
                    testing::ExitedWithCode(1), "an exception has left an epoch");
    }
}

TEST(LeftEpochs, ByAnExceptionThatEndsTheProgramAreNotSaidBesideIt) {
    // Channels, tasks, items and the runtime are unwound, on the rank that raises and on those that wait.
    for (const int raising : {0, 1, 2}) {
        EXPECT_THROW(on_ranks({.ranks = 3}, {.execution = Execution::fibre},
                              [raising](Runtime& runtime, const Team&) {
                                  Channel<int> numbers(runtime);
                                  Future<int> never(runtime.tasks());
                                  numbers.on_receipt([&](int number) {
                                      if (number == 5 && runtime.rank() == raising) {
                                          throw std::invalid_argument("five");
                                      }
                                      never.wait();
                                  });
                                  for (int i = 0; i < 30; ++i) {
                                      numbers.send(i % 3, i / 3);
                                  }
                                  runtime.epoch();
                              }),
                     std::invalid_argument);
    }
}

TEST(Epochs, WhoseTasksWaitForEverMayBeFollowedByOthersAndByTheEnd) {
    on_ranks({.ranks = 3}, {.execution = Execution::fibre}, [](Runtime& runtime, const Team&) {
        int handled = 0;
        Channel<int> numbers(runtime);
        numbers.on_receipt([&](int) { ++handled; }, always<Execution::handler>);
        Future<int> late(runtime.tasks());
        if (runtime.rank() == 1) {
            runtime.tasks().run_fibre([&] { late.wait(); });
        }
        EXPECT_THROW(runtime.epoch(), SharedFailure);
        late.set(1);
        numbers.send(0, 1);
        runtime.epoch();
        EXPECT_EQ(handled, runtime.rank() == 0 ? 3 : 0);
        // One that is known to wait for ever is not told once more.
        Future<int> never(runtime.tasks());
        if (runtime.rank() == 1) {
            runtime.tasks().run_fibre([&] { never.wait(); });
        }
        EXPECT_THROW(runtime.epoch(), SharedFailure);
    });
}

} // namespace
} // namespace goodsyard::runtime
