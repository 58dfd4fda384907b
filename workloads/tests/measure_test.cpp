// From warm-up to result, in one process.

#include "harness/measure.hpp"

#include <gtest/gtest.h>

#include "harness/failure.hpp"
#include "made_up.hpp"

namespace goodsyard {
namespace {

class Measure : public testing::Test {
  protected:
    Measured run(Operation& operation) {
        return measure(operation, "op", settings, {.team = alone, .clock = clock, .model = {}});
    }

    Measure() {
        settings.sync = "barrier";
        settings.repetitions = 10;
        settings.precision = 0;
        settings.warmup = 2;
    }

    Alone alone;
    Clock clock{Timer::monotonic};
    Settings settings;
    Counting counting;
};

TEST_F(Measure, RunsWarmUpRoughTimingsAndRepetitionsAndLooksBeforeAndAfter) {
    const Measured measured = run(counting);
    EXPECT_EQ(measured.longest_s.size(), 10U);
    EXPECT_EQ(counting.ran, 1 + 2 + 3 + 10 + 1);
    EXPECT_EQ(counting.prepared, counting.ran) << "every run is prepared";
    EXPECT_EQ(counting.looked, 2);
    EXPECT_EQ(counting.spoilt, 2);
}

TEST_F(Measure, LooksAtEveryRepetitionOfAnOperationThatWantsIt) {
    counting.each = true;
    run(counting);
    EXPECT_EQ(counting.looked, 10);
    EXPECT_EQ(counting.ran, 2 + 3 + 10) << "no run is made to be looked at";
}

TEST_F(Measure, DoesNotLookWhereThatIsNotWanted) {
    settings.verify = false;
    counting.wrong_from = 0;
    for (const bool value : {false, true}) {
        counting.each = value;
        EXPECT_NO_THROW(run(counting));
    }
    EXPECT_EQ(counting.looked, 0);
}

class Wrong : public Measure, public testing::WithParamInterface<std::pair<bool, int>> {};

TEST_P(Wrong, IsAFailureThatSaysWhatAndWhere) {
    std::tie(counting.each, counting.wrong_from) = GetParam();
    try {
        run(counting);
        FAIL() << "nothing was found";
    } catch (const SharedFailure& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("on rank 0: 7 is not 8"), std::string::npos) << message;
    }
}

// The first run, the one after all others, and one in the middle of the repetitions.
INSTANTIATE_TEST_SUITE_P(Runs, Wrong,
                         testing::Values(std::pair{false, 1}, std::pair{false, 17}, std::pair{true, 8}));

TEST_F(Measure, KeepsThePhasesOfRepetitionsOnly) {
    class Sending final : public Counting {
      public:
        explicit Sending(const Clock& clock) : phases_(clock), send_(phases_.add("send")) {}
        void prepare() override { phases_.count_messages(send_, 1000, 0); }
        void run() override {
            Counting::run();
            phases_.count_messages(send_, 3, 24);
        }
        Phases* phases() override { return &phases_; }

      private:
        Phases phases_;
        std::size_t send_;
    };
    Sending sending(clock);
    const Measured measured = run(sending);
    ASSERT_EQ(measured.phases.size(), 10U);
    for (const auto& repetition : measured.phases) {
        EXPECT_EQ(repetition[0].sum.messages, 3U);
        EXPECT_EQ(repetition[0].largest.bytes, 24U);
    }
}

} // namespace
} // namespace goodsyard
