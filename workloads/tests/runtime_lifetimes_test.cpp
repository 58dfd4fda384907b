// What ends before others have done with it: what answers are written to, and the runtime of one rank.
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "containers/map.hpp"
#include "global/delegates.hpp"
#include "global/global_array.hpp"
#include "misuse.hpp"
#include "runtime/alone.hpp"
#include "runtime/completion_event.hpp"
#include "runtime/control_objects.hpp"

namespace goodsyard::runtime {
namespace {

/// A number of each rank, and delegates.
struct Numbers {
    Numbers(Runtime& runtime, const Team& team)
        : delegates(runtime), array(team, static_cast<std::uint64_t>(team.size())),
          next(array[static_cast<std::uint64_t>((team.rank() + 1) % team.size())]),
          local(array[static_cast<std::uint64_t>(team.rank())]) {}
    global::Delegates delegates;
    global::GlobalArray<int> array;
    global::GlobalPtr<int> next; ///< That of the next rank.
    global::GlobalPtr<int> local;
};

const std::string too_early =
    " ends before its answer has come: wait\\(\\) for it before its end, or keep it "
    "until the epoch has ended";
const std::string enrolled = " ends while [0-9]+ activities are enrolled: wait\\(\\) for it before its end, "
                             "or keep it until the epoch has ended";
const std::string caught = " \\(an exception has ended it, and was caught\\)";

TEST(Futures, ThatEndBeforeTheirAnswerEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            Numbers numbers(runtime, team);
            {
                Future<int> answer(runtime.tasks());
                numbers.delegates.read(numbers.next, answer);
            }
            runtime.epoch();
        },
        "a future" + too_early);
}

TEST(Futures, OfATaskThatEndBeforeTheirAnswerEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            Numbers numbers(runtime, team);
            runtime.tasks().spawn([&] {
                Future<void> written(runtime.tasks(), "what is written");
                numbers.delegates.write(numbers.next, 1, written);
                runtime.tasks().yield();
            });
            runtime.epoch();
        },
        "what is written" + too_early);
}

TEST(Futures, ThatAnExceptionEndsBeforeTheirAnswerEndTheProgramWhereItIsCaught) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            Numbers numbers(runtime, team);
            runtime.tasks().spawn([&] {
                try {
                    Future<int> answer(runtime.tasks());
                    numbers.delegates.read(numbers.next, answer);
                    throw std::invalid_argument("planted");
                } catch (const std::invalid_argument&) {
                    runtime.tasks().yield();
                }
            });
            runtime.epoch();
        },
        "a future" + too_early + caught);
}

TEST(Futures, ThatAnExceptionEndsBeforeTheirAnswerAreNotSaidBesideIt) {
    EXPECT_THROW(on_ranks({.ranks = 2}, {},
                          [](Runtime& runtime, const Team& team) {
                              Numbers numbers(runtime, team);
                              runtime.tasks().spawn([&] {
                                  Future<int> answer(runtime.tasks());
                                  numbers.delegates.read(numbers.next, answer);
                                  throw std::invalid_argument("planted");
                              });
                              runtime.epoch();
                          }),
                 std::invalid_argument);
}

TEST(CompletionEvents, ThatEndBeforeWhatIsEnrolledEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            Numbers numbers(runtime, team);
            {
                CompletionEvent all(runtime.tasks());
                numbers.delegates.call(numbers.next, [](int& number) { ++number; }, all);
                numbers.delegates.call(numbers.next, [](int& number) { ++number; }, all);
            }
            runtime.epoch();
        },
        "a completion event" + enrolled);
}

TEST(CompletionEvents, ThatAnExceptionEndsBeforeATaskOfTheirRankEndTheProgramWhereItIsCaught) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            Numbers numbers(runtime, team);
            try {
                CompletionEvent all(runtime.tasks());
                numbers.delegates.spawn(numbers.local, [](int& number) { ++number; }, all);
                throw std::invalid_argument("planted");
            } catch (const std::invalid_argument& error) {
                EXPECT_STREQ(error.what(), "planted");
            }
            runtime.epoch();
        },
        "a completion event" + enrolled + caught);
}

TEST(CompletionEvents, OfATaskThatWaitsForEverAreNotSaidBesideIt) {
    on_ranks({.ranks = 2}, {}, [](Runtime& runtime, const Team& team) {
        Numbers numbers(runtime, team);
        runtime.tasks().spawn([&] {
            CompletionEvent all(runtime.tasks());
            all.enroll();
            all.wait();
        });
        EXPECT_THROW(runtime.epoch(), SharedFailure);
    });
}

TEST(Containers, ThatEndWithinAnEpochEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            global::Messages messages(runtime);
            auto map = std::make_unique<containers::Map<int, int>>(team, messages);
            Channel<int> numbers(runtime);
            numbers.on_receipt([&](int) { map.reset(); });
            numbers.send(0, 1);
            runtime.epoch();
        },
        "a Map<int, int> ends within the epoch at runtime_lifetimes_test.cpp:[0-9]+: .+");
}

TEST(Containers, ThatEndBeforeWhatWasSentToThemEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            global::Messages messages(runtime);
            {
                containers::Map<int, int> map(team, messages);
                map.async_insert(1, 1);
            }
            runtime.epoch();
        },
        "a Map<int, int> \\(runtime_lifetimes_test.cpp:[0-9]+\\) ends, and what was sent to it after the "
        "last "
        "epoch is lost: all ranks call epoch\\(\\) before its end");
}

TEST(Containers, ThatAnExceptionEndsOnOneRankAreGoneAsOnTheOthers) {
    on_ranks({.ranks = 3}, {.checked = true}, [](Runtime& runtime, const Team& team) {
        global::Messages messages(runtime);
        try {
            const containers::Map<int, int> map(team, messages);
            runtime.epoch();
            if (team.rank() == 1) {
                throw std::invalid_argument("planted");
            }
        } catch (const std::invalid_argument& error) {
            EXPECT_STREQ(error.what(), "planted");
        }
        runtime.epoch();
    });
}

TEST(Containers, ThatEndOnOneRankAloneEndTheProgramBeforeAnythingIsHandled) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            global::Messages messages(runtime);
            auto map = std::make_unique<containers::Map<int, int>>(team, messages);
            runtime.epoch();
            if (team.rank() == 1) {
                map.reset();
            } else {
                for (int key = 0; key < 100; ++key) {
                    map->async_insert(key, 1);
                }
            }
            runtime.epoch();
        },
        "ranks have different channels, or functions that they send, in the epoch at "
        "runtime_lifetimes_test.cpp:[0-9]+: .+; here are [0-9]+ functions, [01] containers, and .+",
        {.checked = true});
}

const std::string waits = ", and this rank waits for it in epoch [12] at "
                          "runtime_lifetimes_test.cpp:[0-9]+: call epoch\\(\\), and what is collective, as "
                          "often on all ranks";

TEST(Epochs, ThatOneRankAloneBeginsEndTheProgram) {
    for (const bool checked : {false, true}) {
        for (const int alone : {0, 1}) {
            expect_end(
                [alone](Runtime& runtime, const Team& team) {
                    runtime.epoch();
                    if (team.rank() == alone) {
                        runtime.epoch();
                    }
                },
                "rank [0-2] ends its runtime after epoch 1 at runtime_lifetimes_test.cpp:[0-9]+" + waits,
                {.checked = checked});
        }
    }
}

TEST(Epochs, ThatOneRankLeavesOutEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            Channel<int> numbers(runtime);
            numbers.on_receipt([](int) {});
            if (team.rank() != 0) {
                numbers.send(1, 1);
                runtime.epoch();
            }
        },
        "rank 0 ends its runtime without an epoch" + waits);
}

TEST(Transports, ThatEndBeforeTheirRuntimeEndTheProgram) {
    const Parameters parameters = settled({});
    auto alone = std::make_unique<AloneTransport>(capacity_bytes(parameters));
    const auto end_first = [&] {
        Runtime runtime(*alone, parameters);
        alone.reset();
    };
    EXPECT_EXIT(end_first(), testing::ExitedWithCode(1),
                "rank 0: a transport ends before the runtime that uses it: end the runtime first");
}

TEST(Runtimes, OneAfterTheOtherOnOneTransportLoseNoItem) {
    const Parameters parameters = settled({.buffer_bytes = 16});
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SimulatedNetwork({.ranks = 5, .seed = seed, .buffer_bytes = capacity_bytes(parameters)})
            .run([&](const Team&, Transport& transport) {
                for (int i = 0; i < 3; ++i) {
                    Runtime runtime(transport, parameters);
                    int sum = 0;
                    Channel<int> numbers(runtime);
                    numbers.on_receipt([&](int number) { sum += number; });
                    for (int to = 0; to < runtime.size(); ++to) {
                        numbers.send(to, 1);
                        numbers.flush();
                    }
                    runtime.epoch();
                    EXPECT_EQ(sum, runtime.size());
                }
            });
    }
}

/// A child that has been told the last sum of a runtime is in the next one while its parent waits for room to
/// tell the other child.
TEST(Runtimes, OneAfterTheOtherLoseNoSumWhereThereIsRoomForOneMessage) {
    const Parameters parameters = settled({.sends = 1});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SimulatedNetwork({.ranks = 3,
                          .seed = seed,
                          .longest_delay = 0,
                          .sends = 1,
                          .buffer_bytes = capacity_bytes(parameters),
                          .turns = 20'000})
            .run([&](const Team&, Transport& transport) {
                for (int i = 0; i < 10; ++i) {
                    Runtime runtime(transport, parameters);
                    runtime.epoch();
                }
            });
    }
}

TEST(Ranks, ThatWaitForEverAreNamedWithWhatTheyWaitIn) {
    try {
        on_ranks({.ranks = 3, .turns = 3000}, {}, [](Runtime& runtime, const Team& team) {
            if (team.rank() == 0) {
                team.barrier();
            }
            runtime.epoch();
        });
        FAIL();
    } catch (const std::runtime_error& error) {
        const std::string text = error.what();
        EXPECT_TRUE(
            text.starts_with("the ranks have not ended after 3000 turns with seed 1: rank 0 waits for "
                             "the others, in what is collective, outside of epochs, rank 1 is there, "
                             "in the epoch at runtime_lifetimes_test.cpp:"))
            << text;
    }
}

TEST(Exceptions, OfASimulatedRankThatNobodyCatchesNameTheRank) {
    const auto end_uncaught = [] {
        [&]() noexcept {
            on_ranks({.ranks = 3}, {}, [](Runtime& runtime, const Team& team) {
                if (team.rank() == 2) {
                    throw std::invalid_argument("planted");
                }
                runtime.epoch();
            });
        }();
    };
    EXPECT_EXIT(end_uncaught(), testing::ExitedWithCode(1), "^[^\n]+: rank 2: planted\n$");
}

} // namespace
} // namespace goodsyard::runtime
