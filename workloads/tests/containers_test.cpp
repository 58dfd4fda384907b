#include <gtest/gtest.h>
#include <map>
#include <string>

#include "containers/counting_set.hpp"
#include "containers/map.hpp"
#include "global_schedules.hpp"

namespace goodsyard::containers {
namespace {

using global::Messages;
using runtime::on_ranks;
using runtime::Runtime;

constexpr int words_of_rank = 40;

std::string word(std::uint64_t seed, int rank, int i) {
    const std::uint64_t drawn = mix64(seed * 1000 + static_cast<std::uint64_t>(rank * words_of_rank + i));
    return "word " + std::to_string(drawn % 23 * (drawn % 7));
}

/// On the ranks that are asked for, and schedules of eight numbers of ranks.
void on_schedules(const std::function<void(std::uint64_t, Runtime&, Messages&, const Team&)>& body,
                  std::uint64_t seeds = 48) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const auto [network, parameters] = global::drawn(seed, runtime::Execution::handler);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Messages messages(runtime);
            body(seed, runtime, messages, team);
        });
    }
}

std::map<std::string, std::uint64_t> counted(std::uint64_t seed, int ranks) {
    std::map<std::string, std::uint64_t> counts;
    for (int rank = 0; rank < ranks; ++rank) {
        for (int i = 0; i < words_of_rank; ++i) {
            ++counts[word(seed, rank, i)];
        }
    }
    return counts;
}

TEST(CountingSets, CountWhatAllRanksInsert) {
    on_schedules([](std::uint64_t seed, Runtime&, Messages& messages, const Team& team) {
        CountingSet<std::string> words(team, messages);
        for (int i = 0; i < words_of_rank; ++i) {
            words.async_insert(word(seed, team.rank(), i));
        }
        const auto expected = counted(seed, team.size());
        EXPECT_EQ(words.size(), expected.size());
        EXPECT_EQ(words.count_all(), static_cast<std::uint64_t>(team.size() * words_of_rank));
        std::uint64_t visited = 0;
        words.for_all([&](const std::string& key, std::uint64_t count) {
            ++visited;
            EXPECT_EQ(expected.at(key), count) << key << ", seed " << seed;
        });
        EXPECT_EQ(team.all(Fold::sum, visited), expected.size());
        const auto top = words.top(3);
        EXPECT_EQ(top.size(), 3U);
        for (const auto& [key, count] : top) {
            EXPECT_EQ(expected.at(key), count);
        }
        std::uint64_t most = 0;
        for (const auto& [key, count] : expected) {
            most = std::max(most, count);
        }
        EXPECT_EQ(top[0].second, most);
        EXPECT_EQ(words.top(1000).size(), expected.size());
    });
}

TEST(CountingSets, GrowTheirCacheForKeysThatCompeteAndStartAnewWhenTheyAreCleared) {
    static constexpr std::uint64_t keys = 1500, places = 4096;
    on_schedules(
        [](std::uint64_t seed, Runtime&, Messages& messages, const Team& team) {
            CountingSet<std::uint64_t> set(team, messages);
            const auto ranks = static_cast<std::uint64_t>(team.size());
            for (const std::uint64_t turns : {3U, 2U}) {
                // All of one place at first, so that each evicts the one before.
                for (std::uint64_t i = 0; i < turns * keys; ++i) {
                    set.async_insert(i % keys * places + (i % 2 == 0 ? 0 : 1));
                }
                EXPECT_EQ(set.count_all(), ranks * turns * keys) << "seed " << seed;
                set.for_all([&](std::uint64_t, std::uint64_t count) { EXPECT_EQ(count, ranks * turns); });
                EXPECT_EQ(set.size(), keys);
                set.clear();
                EXPECT_EQ(set.size(), 0U);
            }
        },
        8);
}

TEST(Maps, HaveWhatWasInsertedFoldedVisitedAndNotErased) {
    on_schedules([](std::uint64_t seed, Runtime& runtime, Messages& messages, const Team& team) {
        Map<std::string, std::vector<int>> lists(team, messages);
        Map<std::uint64_t, std::uint64_t> sums(team, messages);
        const auto p = static_cast<std::uint64_t>(team.size());
        for (int i = 0; i < 10; ++i) {
            lists.async_visit(
                "key " + std::to_string(i),
                [](const std::string&, std::vector<int>& list, int value) { list.push_back(value); }, i);
            sums.async_reduce(static_cast<std::uint64_t>(i), 2, std::plus<>());
        }
        EXPECT_EQ(lists.size(), 10U) << "seed " << seed;
        lists.for_all([&](const std::string& key, const std::vector<int>& list) {
            EXPECT_EQ(list, std::vector<int>(p, std::stoi(key.substr(4))));
            EXPECT_EQ(lists.owner(key), team.rank());
        });
        sums.for_all([&](std::uint64_t, std::uint64_t sum) { EXPECT_EQ(sum, 2 * p); });
        if (team.rank() == 0) {
            sums.async_erase(3);
            sums.async_insert(4, 1000);
            sums.async_insert_if_missing(5, 1000);
            sums.async_insert_if_missing(50, 7);
            sums.async_visit_if_contains(60, [](std::uint64_t, std::uint64_t& sum) { sum = 1; });
            sums.async_visit_if_contains(6, [](std::uint64_t, std::uint64_t& sum) { sum = 1; });
        }
        EXPECT_EQ(sums.size(), 10U);
        std::map<std::uint64_t, std::uint64_t> expected = {{50, 7}, {4, 1000}, {6, 1}};
        for (const std::uint64_t key : {0, 1, 2, 5, 7, 8, 9}) {
            expected[key] = 2 * p;
        }
        for (const auto& [key, sum] : sums.own()) {
            EXPECT_EQ(expected.at(key), sum) << key;
        }
        runtime.epoch(); // All ranks have looked.
        sums.clear();
        EXPECT_EQ(sums.size(), 0U);
    });
}

TEST(Maps, AreChangedByHandlersThatVisitThem) {
    on_schedules([](std::uint64_t, Runtime&, Messages& messages, const Team& team) {
        Map<int, int> visits(team, messages);
        struct Step {
            void operator()(Map<int, int>& map, int key, int& count) const {
                ++count;
                if (key < 30) {
                    map.async_visit(key + 1, Step());
                }
            }
        };
        if (team.rank() == 0) {
            visits.async_visit(0, Step());
        }
        EXPECT_EQ(visits.size(), 31U);
    });
}

TEST(Containers, KeepNoTrafficWhenKeysAreInsertedOutsideOfEpochs) {
    static constexpr std::uint64_t insertions = 3000, keys = 50;
    on_schedules(
        [](std::uint64_t seed, Runtime& runtime, Messages& messages, const Team& team) {
            Map<std::uint64_t, std::uint64_t> sums(team, messages);
            CountingSet<std::uint64_t> counts(team, messages);
            for (std::uint64_t i = 0; i < insertions; ++i) {
                sums.async_visit(i % keys, [](std::uint64_t, std::uint64_t& sum) { ++sum; });
                counts.async_insert(i % keys * 4096); // All compete for one place of the cache.
            }
            // A rank that waits for room takes in what others send meanwhile.
            EXPECT_LT(runtime.counters().longest_backlog, insertions / 4) << "seed " << seed;
            const auto ranks = static_cast<std::uint64_t>(team.size());
            EXPECT_EQ(counts.count_all(), ranks * insertions);
            EXPECT_EQ(sums.size(), keys);
            sums.for_all(
                [&](std::uint64_t, std::uint64_t sum) { EXPECT_EQ(sum, ranks * insertions / keys); });
        },
        24);
}

TEST(Containers, HandleWhatIsNotForThemInTheNextEpoch) {
    on_schedules([](std::uint64_t, Runtime& runtime, Messages& messages, const Team& team) {
        runtime::Channel<int> numbers(runtime);
        int handled = 0;
        numbers.on_receipt([&](int number) { handled += number; });
        Map<int, int> sums(team, messages);
        for (int i = 0; i < 500; ++i) {
            numbers.send(i % team.size(), 1);
            sums.async_visit(i % 10, [](int, int& sum) { ++sum; });
            EXPECT_EQ(handled, 0);
        }
        runtime.epoch();
        EXPECT_EQ(team.all(Fold::sum, handled), 500 * team.size());
        sums.for_all([&](int, int sum) { EXPECT_EQ(sum, 50 * team.size()); });
    });
}

TEST(Maps, AreNotChangedByOthersWhileTheirKeysAreVisited) {
    static constexpr int keys = 300;
    on_schedules([](std::uint64_t seed, Runtime& runtime, Messages& messages, const Team& team) {
        Map<int, int> map(team, messages);
        for (int key = 0; key < keys; ++key) {
            map.async_insert(key, 1);
        }
        EXPECT_EQ(map.size(), static_cast<std::uint64_t>(keys));
        const std::size_t before = map.own().size();
        std::size_t visited = 0;
        map.for_all([&](int key, int) {
            ++visited;
            EXPECT_LT(key, keys) << "seed " << seed;
            map.async_insert(key + keys, 1);
            map.async_erase(key);
        });
        EXPECT_EQ(visited, before);
        runtime.epoch();
        std::size_t in_own = 0;
        for (const auto& [key, value] : map.own()) {
            ++in_own;
            EXPECT_GE(key, keys);
            map.async_insert(key + keys, 1);
        }
        EXPECT_GE(map.own().size(), in_own);
        EXPECT_EQ(map.size(), static_cast<std::uint64_t>(2 * keys));
        EXPECT_EQ(map.own().contains(keys), map.owner(keys) == team.rank());
        EXPECT_EQ(map.own().empty(), map.own().begin() == map.own().end());
    });
}

TEST(Maps, VisitFromVisitorsThatRunOutsideOfEpochs) {
    on_schedules([](std::uint64_t, Runtime&, Messages& messages, const Team& team) {
        Map<int, int> visits(team, messages);
        CountingSet<int> seconds(team, messages);
        struct Step {
            void operator()(Map<int, int>& map, int key, int& count) const {
                ++count;
                if (key < 100) {
                    map.async_visit(key + 100, Step());
                }
            }
        };
        for (int i = 0; i < 400; ++i) {
            visits.async_visit(i % 100, Step());
            seconds.async_insert(i % 7);
        }
        EXPECT_EQ(visits.size(), 200U);
        visits.for_all([&](int, int count) { EXPECT_EQ(count, 4 * team.size()); });
        EXPECT_EQ(seconds.size(), 7U);
    });
}

} // namespace
} // namespace goodsyard::containers
