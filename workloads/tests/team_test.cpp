// What is collective, on ranks that are threads.

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "harness/checksum.hpp"
#include "harness/failure.hpp"
#include "harness/measure.hpp"
#include "harness/order.hpp"
#include "harness/share.hpp"
#include "made_up.hpp"
#include "ranks_of_threads.hpp"

namespace goodsyard {
namespace {

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, HaveOneChecksumHoweverTheValuesAreShared) {
    constexpr std::uint64_t total = 1000;
    const Random random(9);
    Checksum expected;
    for (std::uint64_t i = 0; i < total; ++i) {
        expected.add(random.bits(i));
    }
    as_ranks(GetParam(), [&](const Team& team) {
        const Share share = share_of(total, team);
        Checksum local;
        for (std::uint64_t i = 0; i < share.count; ++i) {
            local.add(random.bits(share.first + i));
        }
        EXPECT_EQ(of_all(team, local), expected);
    });
}

TEST_P(Ranks, AllKnowWhatEachHas) {
    as_ranks(GetParam(), [](const Team& team) {
        const std::vector<int> all = team.of_each(10 * team.rank());
        ASSERT_EQ(all.size(), static_cast<std::size_t>(team.size()));
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            EXPECT_EQ(all[rank], 10 * static_cast<int>(rank));
        }
    });
}

TEST_P(Ranks, AgreeOnTheFirstThatFailsAndOnItsWords) {
    std::atomic<int> failed = 0;
    as_ranks(GetParam(), [&](const Team& team) {
        EXPECT_NO_THROW(fail_together(team, "sorting is wrong", std::nullopt));
        const bool finds = team.rank() >= team.size() - 2;
        const int first = std::max(0, team.size() - 2);
        try {
            fail_together(team, "sorting is wrong",
                          finds ? std::optional("by " + std::to_string(team.rank())) : std::nullopt);
        } catch (const SharedFailure& error) {
            EXPECT_EQ(error.what(),
                      "sorting is wrong on rank " + std::to_string(first) + ": by " + std::to_string(first));
            ++failed;
        }
    });
    EXPECT_EQ(failed, GetParam());
}

TEST_P(Ranks, FindDisorderWithinARankAndBetweenTwo) {
    as_ranks(GetParam(), [&](const Team& team) {
        // Rank 1 has nothing: the order goes on from rank 0 to rank 2.
        std::vector<int> local(team.rank() == 1 ? 0 : 10);
        for (std::size_t i = 0; i < local.size(); ++i) {
            local[i] = team.rank() * 10 + static_cast<int>(i);
        }
        EXPECT_FALSE(disorder(team, std::span<const int>(local)));
        if (team.rank() == team.size() - 1 && local.size() > 1) {
            std::swap(local[3], local[4]);
        }
        EXPECT_EQ(disorder(team, std::span<const int>(local)).has_value(),
                  team.rank() == team.size() - 1 && local.size() > 1);
        if (team.size() > 2) {
            for (int& value : local) {
                value = 100 - 10 * team.rank();
            }
            EXPECT_EQ(disorder(team, std::span<const int>(local)).has_value(), team.is_root());
        }
    });
}

class Slow final : public Counting {
  public:
    Slow(const Clock& clock, const Team& team) : team_(team), phases_(clock), work_(phases_.add("work")) {}
    void run() override { phases_.count_operations(work_, static_cast<std::uint64_t>(team_.rank()) + 1); }
    Phases* phases() override { return &phases_; }

  private:
    const Team& team_;
    Phases phases_;
    std::size_t work_;
};

TEST_P(Ranks, BringSumsAndTheLargestOfTheirCountsToTheRoot) {
    as_ranks(GetParam(), [&](const Team& team) {
        const Clock clock(Timer::monotonic);
        Slow slow(clock, team);
        Settings settings;
        settings.sync = "barrier";
        settings.repetitions = 3;
        settings.precision = 0;
        settings.raw = true;
        const Measured measured =
            measure(slow, "slow", settings, {.team = team, .clock = clock, .model = {}, .raw = true});
        const auto p = static_cast<std::uint64_t>(team.size());
        EXPECT_EQ(measured.phases.size(), team.is_root() ? 3U : 0U);
        for (const auto& repetition : measured.phases) {
            EXPECT_EQ(repetition[0].sum.operations, p * (p + 1) / 2);
            EXPECT_EQ(repetition[0].largest.operations, p);
        }
        EXPECT_EQ(measured.of_ranks_s.size(), team.is_root() ? 3 * p : 0);
    });
}

TEST_P(Ranks, AllFailWhenOneOfThemIsWrong) {
    std::atomic<int> failed = 0;
    as_ranks(GetParam(), [&](const Team& team) {
        const Clock clock(Timer::monotonic);
        Counting counting;
        counting.wrong_from = team.rank() == team.size() - 1 ? 0 : 1 << 30;
        Settings settings;
        settings.sync = "barrier";
        try {
            measure(counting, "op", settings, {.team = team, .clock = clock, .model = {}});
        } catch (const SharedFailure& error) {
            EXPECT_EQ(error.what(),
                      "op is wrong on rank " + std::to_string(team.size() - 1) + ": 7 is not 8");
            ++failed;
        }
    });
    EXPECT_EQ(failed, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Numbers, Ranks, testing::Values(1, 2, 3, 4, 8));

} // namespace
} // namespace goodsyard
