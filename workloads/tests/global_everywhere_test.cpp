#include "global/everywhere.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "global/combined.hpp"
#include "global/global_array.hpp"
#include "global_schedules.hpp"

namespace goodsyard::global {
namespace {

using runtime::Execution;
using runtime::on_ranks;
using runtime::Runtime;

/// `body` with a schedule of each seed; `run(task)` runs a task on the last rank, to the end of the epoch.
void on_schedules(const std::function<void(std::uint64_t, Everywhere&, const Team&,
                                           const std::function<void(const std::function<void()>&)>&)>& body) {
    for (std::uint64_t seed = 0; seed < 96; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            Everywhere everywhere(team, delegates);
            body(seed, everywhere, team, [&](const std::function<void()>& task) {
                if (team.rank() == team.size() - 1) {
                    runtime.tasks().spawn([&task] { task(); });
                }
                runtime.epoch();
            });
        });
    }
}

TEST(Everywhere, LoopsOverAllRanksFromOneTaskWhichReturnsWhenTheyHaveEnded) {
    on_schedules([](std::uint64_t seed, Everywhere& everywhere, const Team& team, const auto& run) {
        GlobalArray<std::uint64_t> visits(team, 1), others(team, 1);
        const GlobalPtr<std::uint64_t> counter = visits[0];
        run([&] {
            everywhere.forall(
                50,
                [counter](Everywhere& self, std::uint64_t i) {
                    self.delegates().call(counter, [i](std::uint64_t& all) { all += i + 1; });
                },
                3);
            EXPECT_EQ(everywhere.delegates().read(counter), 50U * 51 / 2) << "seed " << seed;
            everywhere.run([counter](Everywhere& self) { self.delegates().fetch_add(counter, 1000); });
            EXPECT_EQ(everywhere.delegates().read(counter),
                      50U * 51 / 2 + 1000 * static_cast<std::uint64_t>(team.size()));
        });
    });
}

TEST(Everywhere, FoldsValuesOfAllRanksForOneTask) {
    on_schedules([](std::uint64_t seed, Everywhere& everywhere, const Team& team, const auto& run) {
        run([&] {
            const int sum =
                everywhere.reduce(5, [](Everywhere& self) { return self.runtime().rank(); }, std::plus<>());
            EXPECT_EQ(sum, 5 + team.size() * (team.size() - 1) / 2) << "seed " << seed;
            const int most = everywhere.reduce(
                -1, [](Everywhere& self) { return self.runtime().rank(); },
                [](int left, int right) { return std::max(left, right); });
            EXPECT_EQ(most, team.size() - 1);
        });
    });
}

TEST(Everywhere, AllocatesArraysOnAllRanksForOneTask) {
    on_schedules([](std::uint64_t seed, Everywhere& everywhere, const Team&, const auto& run) {
        run([&] {
            const auto squares = everywhere.allocate<std::uint64_t>(40);
            const auto second = everywhere.allocate<int>(3);
            everywhere.forall(40, [squares](Everywhere& self, std::uint64_t i) {
                self.call(squares, i, [i](std::uint64_t& element) { element += i * i; });
            });
            for (std::uint64_t i = 0; i < 40; ++i) {
                EXPECT_EQ(everywhere.call(squares, i, [](const std::uint64_t& element) { return element; }),
                          i * i)
                    << "seed " << seed;
            }
            EXPECT_EQ(everywhere.call(second, 2, [](const int& element) { return element; }), 0);
            everywhere.free(squares);
            EXPECT_THROW(static_cast<void>(everywhere.own(squares)), std::logic_error);
            EXPECT_THROW(static_cast<void>(everywhere.call(squares, 0, [](std::uint64_t& e) { return e; })),
                         std::exception);
            everywhere.free(second);
        });
    });
}

TEST(CombinedCounters, GiveEachTaskAValueOfItsOwnByFewerMessages) {
    std::uint64_t sent = 0, asked = 0;
    for (std::uint64_t seed = 0; seed < 96; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Delegates delegates(runtime);
            GlobalArray<std::uint64_t> array(team, 1);
            CombinedCounter<std::uint64_t> counter(delegates, array[0]);
            GlobalArray<int> element(team, 60 * static_cast<std::uint64_t>(team.size()));
            for (int task = 0; task < 20; ++task) {
                runtime.tasks().spawn([&] {
                    const std::uint64_t before = counter.fetch_add(3);
                    EXPECT_EQ(before % 3, 0U);
                    delegates.post(element[before], [](int& times) { times++; });
                    ++asked;
                });
            }
            runtime.epoch();
            sent += runtime.counters().delegates;
            for (std::uint64_t place = 0; place < element.own().size(); ++place) {
                EXPECT_EQ(element.own()[place], element.index(place) % 3 == 0 ? 1 : 0) << "seed " << seed;
            }
        });
    }
    EXPECT_LT(sent, 2 * asked); // `post` sends as many.
}

struct NotTrivial : std::runtime_error {
    using std::runtime_error::runtime_error;
};

TEST(Delegates, GiveErrorsBackToWhoCalls) {
    on_schedules([](std::uint64_t seed, Everywhere& everywhere, const Team& team, const auto& run) {
        GlobalArray<int> array(team, 2 * static_cast<std::uint64_t>(team.size()));
        run([&] {
            Delegates& delegates = everywhere.delegates();
            const bool is_sent = team.size() > 1 || everywhere.runtime().parameters().delegates_to_self;
            const auto fail = [](int&) -> int { throw NotTrivial(std::string(300, 'x')); };
            const auto fail_silently = [](int&) { throw NotTrivial("void"); };
            try {
                delegates.call(array[0], fail);
                ADD_FAILURE() << "no error, seed " << seed;
            } catch (const RemoteError& error) {
                EXPECT_TRUE(is_sent);
                EXPECT_EQ(error.what(), "a delegate on rank 0: " + std::string(239, 'x'));
            } catch (const NotTrivial&) {
                EXPECT_FALSE(is_sent);
            }
            EXPECT_THROW(delegates.call(array[0], fail_silently), std::runtime_error);
            Future<int> result(delegates.tasks());
            delegates.call(array[0], fail, result);
            result.wait();
            EXPECT_THROW(static_cast<void>(result.value()), std::runtime_error);
            EXPECT_EQ(delegates.fetch_add(array[0], 1), 0); // All goes on.
        });
    });
}

} // namespace
} // namespace goodsyard::global
