#include "runtime/task_trace.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "simulated_ranks.hpp"

namespace goodsyard::runtime {
namespace {

using Samples = std::vector<std::uint64_t>;

TEST(TaskTrace, HasWhatWasActiveWhenEachSampleWasDue) {
    TaskTrace trace(1, 10);
    trace.sample(10, 3);
    trace.sample(10.5, 5);
    trace.sample(13.2, 7); // Since 10.5 there were 5.
    trace.sample(14, 1);
    EXPECT_EQ(trace.samples(), (Samples{3, 5, 5, 5, 7}));
}

TEST(TaskTrace, BeginsAgainAtAnotherTime) {
    TaskTrace trace(1, 0);
    trace.sample(0, 3);
    trace.sample(5, 4);
    trace.restart(100);
    EXPECT_TRUE(trace.samples().empty());
    trace.sample(101, 2);
    EXPECT_EQ(trace.samples(), (Samples{2, 2}));
}

TEST(TaskTrace, IsOffWithoutAnInterval) {
    EXPECT_FALSE(TaskTrace(0, 0).is_on());
    EXPECT_TRUE(TaskTrace(1e-6, 0).is_on());
}

TEST(TaskTrace, OfAllRanksAddsUpAndLacksNothingWhereARankHasFewerSamples) {
    on_ranks({.ranks = 3}, {}, [](Runtime&, const Team& team) {
        TaskTrace trace(1, 0);
        for (int i = 0; i <= team.rank(); ++i) {
            trace.sample(i, 10);
        }
        const Samples all = active_of_all(team, trace);
        if (team.is_root()) {
            EXPECT_EQ(all, (Samples{30, 20, 10}));
        }
    });
}

TEST(TaskTrace, OfARuntimeSaysHowManyTasksAreActive) {
    on_ranks({.ranks = 1}, {.execution = Execution::fibre, .trace_tasks_s = 1e-6},
             [](Runtime& runtime, const Team&) {
                 for (int i = 0; i < 5; ++i) {
                     runtime.tasks().spawn([&] {
                         for (int round = 0; round < 20; ++round) {
                             runtime.tasks().yield();
                         }
                     });
                 }
                 runtime.epoch();
                 const Samples& samples = runtime.trace().samples();
                 ASSERT_GT(samples.size(), 10U);
                 EXPECT_EQ(samples.front(), 0U);
                 EXPECT_EQ(samples[10], 5U);
             });
}

} // namespace
} // namespace goodsyard::runtime
