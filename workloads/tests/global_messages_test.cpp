#include "global/messages.hpp"

#include <array>
#include <gtest/gtest.h>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "global/symmetric.hpp"
#include "global_schedules.hpp"

namespace goodsyard::global {
namespace {

using runtime::on_ranks;
using runtime::Reader;
using runtime::Runtime;
using runtime::Writer;

struct Named {
    std::string name;
    std::vector<double> values;
    template <class Archive>
    void serialise(Archive& archive) {
        archive(name, values);
    }
    friend bool operator==(const Named&, const Named&) = default;
};

template <class T>
T sent_and_read(const T& value) {
    std::vector<std::byte> bytes;
    Writer writer(bytes);
    writer(value);
    Reader reader(bytes);
    T read = reader.template read<T>();
    EXPECT_TRUE(reader.is_at_end());
    return read;
}
template <class T>
void expect_same(const T& value) {
    EXPECT_EQ(sent_and_read(value), value);
}

TEST(Serialisation, KeepsValuesOfAllKinds) {
    expect_same(17);
    expect_same(-2.5);
    expect_same(std::string("a text\0with a zero", 18));
    expect_same(std::string());
    expect_same(std::vector<std::string>{"", "one", std::string(1000, 'x')});
    expect_same(std::vector<bool>{true, false, true});
    expect_same(std::map<std::string, std::vector<int>>{{"a", {1, 2}}, {"b", {}}});
    expect_same(std::unordered_map<int, std::string>{{1, "one"}, {2, "two"}});
    expect_same(std::set<int>{3, 1, 2});
    expect_same(std::list<float>{1, 2});
    expect_same(std::pair<int, std::string>{1, "x"});
    expect_same(std::tuple<int, std::string, double>{1, "x", 2});
    expect_same(std::optional<std::string>());
    expect_same(std::optional<std::string>("x"));
    expect_same(Named{"n", {1, 2, 3}});
    expect_same(std::vector<Named>{{"n", {}}, {"m", {4}}});
}

TEST(Serialisation, SaysThatBytesEndTooEarly) {
    std::vector<std::byte> bytes;
    Writer writer(bytes);
    writer(std::string("twelve bytes"));
    bytes.pop_back();
    Reader reader(bytes);
    EXPECT_THROW(static_cast<void>(reader.read<std::string>()), std::length_error);
}

/// What a rank has heard: the sum of all numbers, and the bytes of all texts.
struct Heard {
    std::uint64_t sum = 0;
    std::uint64_t bytes = 0;
    std::uint64_t replies = 0;
};

/// Of the i-th text of a rank: from none to many messages long.
std::size_t length_of(std::uint64_t seed, int rank, int i) {
    return mix64(seed * 100 + static_cast<std::uint64_t>(rank * 10 + i)) % (i % 3 == 0 ? 5000 : 40);
}

TEST(Messages, CarryArgumentsOfAnySizeOnceWhateverTheSchedule) {
    constexpr int texts = 6;
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
        const auto [network, parameters] = drawn(seed, runtime::Execution::handler);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Messages messages(runtime);
            Heard heard;
            const Symmetric<Heard> everywhere(team, heard);
            std::uint64_t expected = 0;
            for (int to = 0; to < team.size(); ++to) {
                for (int i = 0; i < texts; ++i) {
                    const std::string text(length_of(seed, team.rank(), i), static_cast<char>('a' + i));
                    messages.async(
                        everywhere.on(to),
                        [i](Messages& self, int from, Heard& local, const std::string& sent,
                            const std::vector<int>& numbers, GlobalPtr<Heard> asker) {
                            EXPECT_EQ(sent, std::string(sent.size(), static_cast<char>('a' + i)));
                            EXPECT_EQ(from, asker.rank);
                            local.bytes += sent.size();
                            local.sum += static_cast<std::uint64_t>(numbers.at(0) + numbers.at(1));
                            self.async(asker, [](Heard& at_asker) { at_asker.replies++; });
                        },
                        text, std::vector<int>{i, team.rank()}, everywhere.on(team.rank()));
                }
            }
            for (int from = 0; from < team.size(); ++from) {
                for (int i = 0; i < texts; ++i) {
                    expected += length_of(seed, from, i);
                }
            }
            runtime.epoch();
            const auto p = static_cast<std::uint64_t>(team.size());
            EXPECT_EQ(heard.bytes, expected) << "seed " << seed;
            EXPECT_EQ(heard.sum, p * 15 + texts * p * (p - 1) / 2);
            EXPECT_EQ(heard.replies, texts * p);
        });
    }
}

TEST(Messages, ArriveOnceByEveryRouteWithTheRankThatSentThem) {
    constexpr int ranks = 11;
    struct Received {
        std::vector<int> texts = std::vector<int>(ranks);
        std::uint64_t bytes = 0;
    };
    for (const runtime::Route route : {runtime::Route::direct, runtime::Route::grid, runtime::Route::node}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            runtime::Parameters parameters{.buffer_bytes = seed % 2 == 0 ? 64 : 0};
            parameters.route = route;
            const runtime::NetworkSettings network{.ranks = ranks, .seed = seed, .ranks_of_node = 4};
            on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
                Messages messages(runtime);
                if (seed > 3) {
                    messages.admit_outside();
                }
                Received local;
                const Symmetric<Received> everywhere(team, local);
                const std::string text(300, 'x'); // In parts, which are put together at each hop.
                for (int to = 0; to < ranks; ++to) {
                    messages.async(
                        everywhere.on(to),
                        [](Messages& receiver, int from, Received& hearer, const std::string& sent,
                           GlobalPtr<Received> source) {
                            ++hearer.texts[static_cast<std::size_t>(from)];
                            receiver.async(
                                source,
                                [](Received& speaker, std::uint64_t bytes) { speaker.bytes += bytes; },
                                std::uint64_t{sent.size()});
                        },
                        text, everywhere.on(team.rank()));
                    runtime.handle_outside();
                }
                runtime.epoch();
                EXPECT_EQ(local.texts, std::vector<int>(ranks, 1));
                EXPECT_EQ(local.bytes, ranks * text.size());
                const auto forwarded = team.all(Fold::sum, runtime.counters().forwarded);
                EXPECT_EQ(forwarded > 0, route != runtime::Route::direct);
            });
        }
    }
}

TEST(Messages, MayBeSentByTasksThatWaitForRoom) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const auto [network, parameters] = drawn(seed, runtime::Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Messages messages(runtime);
            Heard heard;
            const Symmetric<Heard> everywhere(team, heard);
            for (int task = 0; task < 8; ++task) {
                runtime.tasks().spawn([&, task] {
                    for (int to = 0; to < team.size(); ++to) {
                        messages.async(
                            everywhere.on(to),
                            [](Heard& local, const std::string& sent) { local.bytes += sent.size(); },
                            std::string(static_cast<std::size_t>(300 * task), 'x'));
                    }
                });
            }
            runtime.epoch();
            EXPECT_EQ(heard.bytes, static_cast<std::uint64_t>(team.size()) * 300 * 28) << "seed " << seed;
        });
    }
}

TEST(Messages, NeedNoObjectAndTakeLiterals) {
    on_ranks({.ranks = 3}, {}, [&](Runtime& runtime, const Team&) {
        Messages messages(runtime);
        static std::uint64_t calls; // Of all ranks, which are one process here.
        calls = 0;
        runtime.epoch();
        messages.async(
            1,
            [](const std::string& text, double number) {
                calls += text == "literal" && number == 0.5 ? 1 : 0;
            },
            "literal", 0.5);
        messages.async(2, [](Messages& self, int) { calls += self.runtime().rank() == 2 ? 1 : 0; });
        runtime.epoch();
        EXPECT_EQ(calls, 6U);
        runtime.epoch();
    });
}

/// What functions of a known size have told a rank: a number for each kind, and the last argument of each.
struct Told {
    std::array<std::uint64_t, 5> calls{};
    std::uint64_t sum = 0;
};

TEST(Messages, OfKnownSizesAreExecutedOnceInRunsAndInTurns) {
    static constexpr std::uint64_t rounds = 40;
    using Long = std::array<std::uint64_t, 40>; // Longer than some messages, which it leaves in parts.
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
        const auto [network, parameters] = drawn(seed, runtime::Execution::handler);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Messages messages(runtime);
            Told record;
            const Symmetric<Told> everywhere(team, record);
            std::array<std::uint64_t, 5> sent{};
            std::uint64_t sum = 0;
            for (int to = 0; to < team.size(); ++to) {
                std::uint64_t kind = 0;
                for (std::uint64_t i = 0; i < rounds; ++i) {
                    const std::uint64_t number = mix64(seed * rounds + i);
                    kind = number % 3 == 0 ? number / 3 % 5 : kind; // Runs of three on average.
                    ++sent[kind];
                    sum += kind == 0 ? 0 : kind * i;
                    const auto target = everywhere.on(to);
                    if (kind == 0) {
                        messages.async(target, [](Told& local) { ++local.calls[0]; });
                    } else if (kind == 1) {
                        messages.async(
                            target, [](Told& local, std::uint64_t x) { ++local.calls[1], local.sum += x; },
                            i);
                    } else if (kind == 2) { // As long as the one before, and another function.
                        messages.async(
                            target,
                            [](Told& local, std::uint64_t x) { ++local.calls[2], local.sum += 2 * x; }, i);
                    } else if (kind == 3) {
                        messages.async(target, [i](Told& local) { ++local.calls[3], local.sum += 3 * i; });
                    } else {
                        Long numbers{};
                        numbers.back() = i;
                        messages.async(
                            target,
                            [](Messages& self, int from, Told& local, const Long& all) {
                                ++local.calls[4];
                                self.async(
                                    from, [](Messages&, int, std::uint64_t last) { EXPECT_LT(last, rounds); },
                                    all.back());
                                local.sum += 4 * all.back();
                            },
                            numbers);
                    }
                }
            }
            runtime.epoch();
            EXPECT_EQ(record.calls, sent) << "seed " << seed;
            EXPECT_EQ(record.sum, sum) << "seed " << seed;
            const auto all_sent = team.all(Fold::sum, runtime.counters().items);
            EXPECT_EQ(all_sent, team.all(Fold::sum, runtime.counters().items_handled));
            std::uint64_t by_bytes = 0;
            for (const std::uint64_t count : runtime.counters().items_by_bytes.counts()) {
                by_bytes += count;
            }
            EXPECT_EQ(runtime.counters().items, by_bytes);
        });
    }
}

} // namespace
} // namespace goodsyard::global
