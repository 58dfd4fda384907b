#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "containers/map.hpp"
#include "global/delegates.hpp"
#include "global/global_array.hpp"
#include "global/messages.hpp"
#include "runtime/alone.hpp"
#include "runtime/completion_event.hpp"
#include "runtime/control_objects.hpp"
#include "runtime/portable.hpp"
#include "runtime/record_channel.hpp"
#include "runtime/stealable.hpp"
#include "simulated_ranks.hpp"

namespace goodsyard::runtime {
namespace {

/// What a rank does that it must not, and what the program ends with.
struct Misuse {
    const char* name;
    std::function<void(Runtime&, const Team&)> body;
    const char* sentence; ///< A regular expression.
    Parameters parameters = {};
};

class Misuses : public testing::TestWithParam<Misuse> {};

TEST_P(Misuses, EndTheProgramWithASentenceThatNamesRankAndPlace) {
    for (const int ranks : {2, 3}) {
        EXPECT_EXIT(on_ranks({.ranks = ranks}, GetParam().parameters, GetParam().body),
                    testing::ExitedWithCode(1),
                    "^[^\n]+: rank [0-2]: " + std::string(GetParam().sentence) + "\n$");
    }
}

constexpr const char* place = "\\(runtime_misuse_test.cpp:[0-9]+\\)";

void send_to(Runtime& runtime, int rank) {
    Channel<int> numbers(runtime);
    numbers.on_receipt([](int) {});
    numbers.send(rank, 1);
    runtime.epoch();
}

/// A task uses much of its stack, frame by frame.
[[gnu::noinline]] std::size_t use_stack(std::size_t bytes) {
    std::array<volatile char, 1024> frame{};
    frame[0] = 1;
    return bytes < frame.size() ? frame[0] : use_stack(bytes - frame.size()) + frame[0];
}

const std::string nested = "epoch\\(\\) at runtime_misuse_test.cpp:[0-9]+ is called within the epoch at "
                           "runtime_misuse_test.cpp:[0-9]+, by a handler, a task or a step: .+";
/// Visitors run outside of epochs, of a map whose keys all ranks have.
template <class Visitor>
void visit_outside(Runtime& runtime, const Team& team, Visitor visitor) {
    global::Messages messages(runtime);
    containers::Map<int, int> map(team, messages);
    for (int i = 0; i < 1000; ++i) {
        map.async_visit(i, visitor);
    }
    runtime.epoch();
}

Runtime*& runtime_of_rank() {
    static Runtime* runtime = nullptr;
    return runtime;
}

const std::string different =
    "ranks have different channels, or functions that they send, in the epoch at "
    "runtime_misuse_test.cpp:[0-9]+: make the same channels on all ranks, in the same "
    "order, by the same program; here are [0-9]+ functions, [0-9]+ containers, and (no channel|items of "
    "Channel<.+)";
const std::string beyond = std::string("items of Channel<int> ") + place +
                           ": sent to rank (-1|3|2147483647), and the ranks are 0 to [12]";

INSTANTIATE_TEST_SUITE_P(
    Kinds, Misuses,
    testing::Values(
        Misuse{"ItemToARankBeyond", [](Runtime& runtime, const Team&) { send_to(runtime, 3); },
               beyond.c_str()},
        Misuse{"ItemToANegativeRank", [](Runtime& runtime, const Team&) { send_to(runtime, -1); },
               beyond.c_str()},
        Misuse{"ItemToARankFarBeyondByARoute",
               [](Runtime& runtime, const Team&) { send_to(runtime, 2147483647); },
               beyond.c_str(),
               {.route = Route::grid}},
        Misuse{
            "FunctionToARankBeyond",
            [](Runtime& runtime, const Team&) {
                global::Messages messages(runtime);
                messages.async(3, [] {});
            },
            "functions of Messages \\(runtime_misuse_test.cpp:[0-9]+\\): sent to rank 3, and the ranks are "
            "0 to [12]"},
        Misuse{
            "NoHandler",
            [](Runtime& runtime, const Team&) {
                Channel<int> numbers(runtime);
                numbers.send(runtime.rank(), 1);
                runtime.epoch();
            },
            "items of Channel<int> \\(.+\\) have come, and nobody handles them: call on_receipt\\(\\) before "
            "the epoch"},
        Misuse{"NoHandlerByARoute",
               [](Runtime& runtime, const Team&) {
                   Channel<int> numbers(runtime);
                   numbers.send((runtime.rank() + 1) % runtime.size(), 1);
                   runtime.epoch();
               },
               "items of Channel<int> \\(.+\\) have come, and nobody handles them: .+",
               {.route = Route::grid}},
        Misuse{"NobodyWorksOnItems",
               [](Runtime& runtime, const Team&) {
                   Stealable<int> items(runtime, all_ranks(runtime));
                   items.add(1);
                   runtime.epoch([&] { return items.step(); }, [] { return Agreed{}; });
               },
               "nobody works on items of Stealable<int>: call on_turn\\(\\) before the epoch"},
        Misuse{
            "ChannelOnOneRankOfWhichItemsCome",
            [](Runtime& runtime, const Team&) {
                if (runtime.rank() == 0) {
                    send_to(runtime, 1);
                } else {
                    runtime.epoch();
                }
            },
            "a message of channel 1 has come from rank 0: make the same channels on all ranks, in the same "
            "order; here are none"},
        Misuse{"ChannelOnOneRankThatNobodyUses",
               [](Runtime& runtime, const Team&) {
                   std::unique_ptr<Channel<int>> numbers;
                   if (runtime.rank() == 0) {
                       numbers = std::make_unique<Channel<int>>(runtime);
                   }
                   runtime.epoch();
               },
               different.c_str()},
        Misuse{"ChannelsInAnotherOrderWhoseItemsAreOfOneSize",
               [](Runtime& runtime, const Team&) {
                   std::unique_ptr<Channel<int>> whole;
                   std::unique_ptr<Channel<float>> half;
                   if (runtime.rank() == 0) {
                       whole = std::make_unique<Channel<int>>(runtime);
                   }
                   half = std::make_unique<Channel<float>>(runtime);
                   if (runtime.rank() != 0) {
                       whole = std::make_unique<Channel<int>>(runtime);
                   }
                   whole->on_receipt([](int) { std::abort(); });
                   half->on_receipt([](float) { std::abort(); });
                   half->send(0, 1);
                   whole->send(1, 1);
                   runtime.epoch(); // No item is handled.
               },
               different.c_str(),
               {.checked = true}},
        Misuse{"ChannelsInAnotherOrderWhoseItemsAreOfOtherSizes",
               [](Runtime& runtime, const Team&) {
                   std::unique_ptr<Channel<std::array<int, 3>>> triples;
                   std::unique_ptr<Channel<int>> numbers;
                   if (runtime.rank() == 0) {
                       numbers = std::make_unique<Channel<int>>(runtime);
                   }
                   triples = std::make_unique<Channel<std::array<int, 3>>>(runtime);
                   if (runtime.rank() != 0) {
                       numbers = std::make_unique<Channel<int>>(runtime);
                   }
                   triples->on_receipt([](const std::array<int, 3>&) {});
                   numbers->on_receipt([](int) {});
                   if (runtime.rank() == 0) {
                       numbers->send(1, 1);
                   }
                   runtime.epoch();
               },
               "items of Channel<std::array<int, 3ul> ?> are to be read from a message of 4 bytes: make "
               "the same channels on all ranks, in the same order"},
        Misuse{
            "ItemsForRecords",
            [](Runtime& runtime, const Team&) {
                std::unique_ptr<Channel<std::int64_t>> numbers;
                std::unique_ptr<RecordChannel> records;
                if (runtime.rank() == 0) {
                    numbers = std::make_unique<Channel<std::int64_t>>(runtime);
                }
                records = std::make_unique<RecordChannel>(runtime, [](std::span<const std::byte>, int) {});
                if (runtime.rank() == 0) {
                    numbers->send(1, -1);
                }
                runtime.epoch();
            },
            "records of RecordChannel are to be read from a message of 8 bytes that has none: make the same "
            "channels on all ranks, in the same order"},
        Misuse{"EpochInAHandler",
               [](Runtime& runtime, const Team&) {
                   Channel<int> numbers(runtime);
                   numbers.on_receipt([&](int) { runtime.epoch(); });
                   numbers.send(0, 1);
                   runtime.epoch();
               },
               nested.c_str()},
        Misuse{"EpochInATask",
               [](Runtime& runtime, const Team&) {
                   runtime.tasks().spawn([&runtime] { runtime.epoch(); });
                   runtime.epoch();
               },
               nested.c_str()},
        Misuse{"EpochInAVisitorOutsideOfEpochs",
               [](Runtime& runtime, const Team& team) {
                   runtime_of_rank() = &runtime;
                   visit_outside(runtime, team, [](int, int&) { runtime_of_rank()->epoch(); });
               },
               "epoch\\(\\) at runtime_misuse_test.cpp:[0-9]+ is called within a function async_… of a "
               "container, outside of epochs, by a handler, .+",
               {.buffer_bytes = 256}},
        Misuse{"ExceptionOfAVisitorCaughtOutsideOfEpochs",
               [](Runtime& runtime, const Team& team) {
                   try {
                       visit_outside(runtime, team, [](int, int&) { throw std::invalid_argument("five"); });
                   } catch (const std::invalid_argument&) {
                       runtime.epoch();
                   }
               },
               "an exception has left a function async_… of a container and was caught, so that items are "
               "lost: .+",
               {.buffer_bytes = 256}},
        Misuse{"MoreWaitsOutsideOfEpochsThanTheLimit",
               [](Runtime& runtime, const Team&) {
                   Channel<int> numbers(runtime);
                   numbers.on_receipt([](int) {});
                   for (int i = 0; i < 100'000; ++i) {
                       numbers.send((runtime.rank() + 1) % 2, i);
                   }
                   runtime.epoch();
               },
               "more than 65536 bytes of messages wait outside of an epoch, the last from rank [01] with "
               "items of Channel<int> \\(runtime_misuse_test.cpp:[0-9]+\\): send inside of "
               "runtime.epoch_over\\(count, piece, work\\), which handles messages meanwhile, or raise "
               "--backlog-bytes .+",
               {.buffer_bytes = 256, .backlog_bytes = 65536}},
        Misuse{"EpochOverPiecesOfNothing",
               [](Runtime& runtime, const Team&) {
                   Channel<int> numbers(runtime);
                   runtime.epoch_over(100, 0, [&](std::size_t) { numbers.send(0, 1); });
               },
               "epoch_over\\(\\) at runtime_misuse_test.cpp:[0-9]+ has pieces of 0, and would do nothing: at "
               "least 1"},
        Misuse{
            "FunctionToNoObject",
            [](Runtime& runtime, const Team&) {
                global::Messages messages(runtime);
                messages.async(global::GlobalPtr<int>(), [](int& number) { ++number; });
                runtime.epoch();
            },
            "functions of Messages \\(runtime_misuse_test.cpp:[0-9]+\\): sent to a GlobalPtr that points to "
            "no object"},
        Misuse{
            "DelegateToNoObject",
            [](Runtime& runtime, const Team&) {
                global::Delegates delegates(runtime);
                delegates.post(global::GlobalPtr<int>(1, nullptr), [](int& number) { ++number; });
                runtime.epoch();
            },
            "delegates \\(runtime_misuse_test.cpp:[0-9]+\\): sent to a GlobalPtr that points to no object"},
        Misuse{"HandlerThatReplacesItself",
               [](Runtime& runtime, const Team&) {
                   Channel<int> numbers(runtime);
                   numbers.on_receipt([&](int) { numbers.on_receipt([](int) {}); });
                   numbers.send(0, 1);
                   runtime.epoch();
               },
               "items of Channel<int> \\(.+\\) are given a handler within the epoch at "
               "runtime_misuse_test.cpp:[0-9]+: call on_receipt\\(\\) before it"},
        Misuse{"ChannelThatOutlivesItsRuntime",
               [](Runtime& runtime, const Team&) {
                   AloneTransport alone(capacity_bytes(runtime.parameters()));
                   std::optional<Runtime> further(std::in_place, alone, runtime.parameters());
                   const Channel<int> numbers(*further);
                   further.reset();
               },
               "items of Channel<int> \\(.+\\) outlive their runtime: .+"},
        Misuse{"ContainerThatOutlivesItsMessages",
               [](Runtime& runtime, const Team& team) {
                   std::optional<global::Messages> messages(std::in_place, runtime);
                   const containers::Map<int, int> map(team, *messages);
                   messages.reset();
               },
               "functions of Messages .*end before a container that uses them: end it first"},
        Misuse{"TwoRuntimesOfOneTransport",
               [](Runtime& runtime, const Team&) {
                   AloneTransport alone(capacity_bytes(runtime.parameters()));
                   const Runtime first(alone, runtime.parameters());
                   const Runtime second(alone, runtime.parameters());
               },
               "a second runtime is made on a transport that one uses: .+"},
        Misuse{"ParametersThatAreNotSettled",
               [](Runtime&, const Team&) {
                   AloneTransport alone(longest_item_bytes);
                   const Runtime further(alone, Parameters{});
               },
               "parameters of a runtime are not settled: pass settled\\(parameters\\)"},
        Misuse{"ParametersByWhichNothingIsSent",
               [](Runtime& runtime, const Team&) {
                   AloneTransport alone(capacity_bytes(runtime.parameters()));
                   Parameters parameters = runtime.parameters();
                   parameters.sends = 0;
                   const Runtime further(alone, parameters);
               },
               "sends, receives, poll_interval and loop_threshold of a runtime are at least 1: .+"},
        Misuse{"CollectiveFunctionWithinForAll",
               [](Runtime& runtime, const Team& team) {
                   global::Messages messages(runtime);
                   containers::Map<int, int> map(team, messages);
                   map.async_insert(runtime.rank(), 1);
                   map.async_insert(runtime.rank() + 100, 1);
                   map.async_insert(runtime.rank() + 1000, 1);
                   map.for_all([&](int, int) { map.clear(); });
               },
               "epoch\\(\\) at map.hpp:[0-9]+ is called within for_all of a Map, over keys that it may "
               "change: .+"},
        Misuse{"OwnKeysWithinForAll",
               [](Runtime& runtime, const Team& team) {
                   global::Messages messages(runtime);
                   containers::Map<int, int> map(team, messages);
                   for (int key = 0; key < 100; ++key) {
                       map.async_insert(key, 1);
                   }
                   map.for_all([&](int key, int) { map.reduce_own(key + 1000, 1, std::plus<>()); });
               },
               "reduce_own\\(\\) is called within for_all of a Map, over keys that it may change: .+"},
        Misuse{"EpochInAStep",
               [](Runtime& runtime, const Team&) {
                   runtime.epoch_over(3, 1, [&](std::size_t) { runtime.epoch(); });
               },
               nested.c_str()},
        Misuse{
            "ChannelMadeInAHandler",
            [](Runtime& runtime, const Team&) {
                Channel<int> numbers(runtime);
                numbers.on_receipt([&](int) { const Channel<float> further(runtime); });
                numbers.send(0, 1);
                runtime.epoch();
            },
            "items of Channel<float> \\(.+\\) are made within the epoch at runtime_misuse_test.cpp:[0-9]+: "
            "make channels before it, on all ranks"},
        Misuse{"ChannelEndedInAHandler",
               [](Runtime& runtime, const Team&) {
                   Channel<int> numbers(runtime);
                   auto second = std::make_unique<Channel<float>>(runtime);
                   numbers.on_receipt([&](int) { second.reset(); });
                   numbers.send(0, 1);
                   runtime.epoch();
               },
               "items of Channel<float> end within the epoch at .+"},
        Misuse{"SecondThreadThatSends",
               [](Runtime& runtime, const Team&) {
                   Channel<int> numbers(runtime);
                   numbers.on_receipt([](int) {});
                   std::thread([&] {
                       numbers.send(0, 1);
                       numbers.flush();
                   }).join();
               },
               "a second thread uses the runtime, .+"},
        Misuse{"SecondThreadInAnEpoch",
               [](Runtime& runtime, const Team&) { std::thread([&] { runtime.epoch(); }).join(); },
               "a second thread uses the runtime, .+"},
        Misuse{"TaskThatOverrunsItsStack",
               [](Runtime& runtime, const Team&) {
                   runtime.tasks().spawn([] { use_stack(std::size_t{1} << 20U); });
                   runtime.epoch();
               },
               "a task has overrun its stack of 65536 bytes: keep large objects elsewhere, or raise "
               "--stack-bytes"},
        Misuse{"CheckedTaskThatOverrunsAStackOfHugePages",
               [](Runtime& runtime, const Team&) {
                   runtime.tasks().spawn([] { use_stack(std::size_t{1} << 20U); });
                   runtime.epoch();
               },
               "a task has overrun its stack of .+",
               {.stack_pages = StackPages::huge, .checked = true}}),
    [](const auto& tested) { return tested.param.name; });

TEST(Misuses, ThatAnExceptionTellsCanBeCaughtWhereTheyHappen) {
    on_ranks({.ranks = 2}, {}, [](Runtime& runtime, const Team& team) {
        Channel<int> numbers(runtime);
        int refused = 0;
        numbers.on_receipt([&](int) {
            EXPECT_THROW(runtime.tasks().yield(), std::logic_error);
            Future<int> future(runtime.tasks());
            EXPECT_THROW(future.wait(), std::logic_error);
            EXPECT_THROW(static_cast<void>(future.value()), std::logic_error);
            future.set(1);
            EXPECT_THROW(future.set(2), std::logic_error);
            EXPECT_EQ(future.value(), 1);
            Latch latch(runtime.tasks(), 1);
            latch.count_down();
            EXPECT_THROW(latch.count_down(), std::logic_error);
            Reduction<int> sum(runtime.tasks(), 1);
            sum.give(3);
            EXPECT_THROW(sum.give(4), std::logic_error);
            EXPECT_EQ(sum.value(), 3);
            CompletionEvent event(runtime.tasks());
            EXPECT_THROW(event.complete(), std::logic_error);
            ++refused;
        });
        numbers.send(runtime.rank(), 1);
        runtime.epoch();
        EXPECT_EQ(refused, 1);
        const global::GlobalArray<int> array(team, 10);
        EXPECT_THROW(static_cast<void>(array[10]), std::out_of_range);
        const global::GlobalArray<int> empty(team, 0);
        EXPECT_THROW(static_cast<void>(empty[0]), std::out_of_range);
    });
}

TEST(Transports, OfShorterMessagesThanTheRuntimesEndTheProgram) {
    AloneTransport alone(256);
    EXPECT_EXIT(Runtime(alone, settled({.buffer_bytes = 4096})), testing::ExitedWithCode(1),
                "a transport has messages of 256 bytes, which are to have 4096: make it for "
                "capacity_bytes\\(parameters\\)");
}

TEST(Channels, MayEndInAnyOrderThatIsThatOfAllRanks) {
    for (const bool checked : {false, true}) {
        on_ranks({.ranks = 3}, {.checked = checked}, [](Runtime& runtime, const Team&) {
            std::vector<std::unique_ptr<Channel<int>>> channels;
            int sum = 0;
            const auto add = [&] {
                channels.push_back(std::make_unique<Channel<int>>(runtime));
                channels.back()->on_receipt([&sum](int number) { sum += number; });
            };
            const auto send = [&] {
                sum = 0;
                for (const auto& channel : channels) {
                    channel->send((runtime.rank() + 1) % runtime.size(), 1);
                }
                runtime.epoch();
                EXPECT_EQ(static_cast<std::size_t>(sum), channels.size());
            };
            for (int i = 0; i < 4; ++i) {
                add();
            }
            send();
            channels.erase(channels.begin());
            send();
            channels.erase(channels.begin() + 1);
            add();
            send();
            channels.clear(); // The first ends first.
            add();
            send();
        });
    }
}

TEST(Checks, BeforeEachEpochChangeNothingThatAnEpochDoes) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const int ranks = 1 + static_cast<int>(seed % 5);
        on_ranks({.ranks = ranks, .seed = seed}, {.buffer_bytes = 16, .checked = true},
                 [](Runtime& runtime, const Team& team) {
                     Channel<int> hops(runtime);
                     std::uint64_t handled = 0;
                     hops.on_receipt([&](int rest) {
                         ++handled;
                         if (rest > 0) {
                             hops.send((runtime.rank() + rest) % runtime.size(), rest - 1);
                         }
                     });
                     for (int epoch = 0; epoch < 4; ++epoch) {
                         handled = 0;
                         for (int to = 0; to < runtime.size(); ++to) {
                             hops.send(to, epoch);
                         }
                         runtime.epoch();
                         const auto p = static_cast<std::uint64_t>(runtime.size());
                         EXPECT_EQ(team.all(Fold::sum, handled),
                                   p * p * static_cast<std::uint64_t>(epoch + 1));
                     }
                 });
    }
}

struct Plain {
    int number;
    char letter;
    std::array<double, 3> numbers;
};
class Private {
  public:
    explicit Private(int number) : number_(number) {}

  private:
    [[maybe_unused]] int number_;
};
struct Named {
    int number;
    const char* name;
};
union Either {
    int whole;
    float half;
};

} // namespace

template <>
inline constexpr bool holds_no_address<Either> = true;

namespace {

template <class T>
constexpr bool portable_of(const T&) {
    return Portable<T>;
}

TEST(Portability, IsThatOfValuesWithoutAnAddressOfThisRank) {
    static_assert(Portable<int> && Portable<bool> && Portable<double> && Portable<Execution> &&
                  Portable<Plain>);
    static_assert(Portable<Private> && Portable<std::array<Plain, 2>> && Portable<global::GlobalPtr<int>>);
    static_assert(Portable<std::optional<int>> && Portable<std::variant<std::monostate, int>>);
    static_assert(Portable<Either> && Portable<const int>);
    static_assert(!Portable<int*> && !Portable<const char*> && !Portable<Named> && !Portable<void (*)()>);
    static_assert(!Portable<std::string_view> && !Portable<std::span<int>> &&
                  !Portable<std::span<const int, 3>>);
    static_assert(!Portable<std::reference_wrapper<int>> && !Portable<std::array<Named, 2>>);
    static_assert(!Portable<std::optional<int*>> && !Portable<std::variant<int, Named>>);
    static_assert(!Portable<int Plain::*> && !Portable<std::string>);
    int number = 1;
    const Plain plain{};
    const global::GlobalPtr<int> pointer(0, &number);
    EXPECT_TRUE(portable_of([] {}));
    EXPECT_TRUE(portable_of([number, plain, pointer] { return number + plain.number + pointer.rank; }));
    EXPECT_TRUE(portable_of([number]() mutable { return number++; }));
    EXPECT_FALSE(portable_of([&] { return number; }));
    EXPECT_FALSE(portable_of([&number] { return number; }));
    EXPECT_FALSE(portable_of([address = &number] { return *address; }));
    EXPECT_FALSE(portable_of([plain, name = "text"] { return plain.number + name[0]; }));
}

} // namespace
} // namespace goodsyard::runtime
