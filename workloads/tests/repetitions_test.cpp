// Which repetitions are kept, how many come next, and when it is enough.

#include "harness/repetitions.hpp"

#include <gtest/gtest.h>

namespace goodsyard {
namespace {

Settings asking(int repetitions, double precision = 0) {
    Settings settings;
    settings.repetitions = repetitions;
    settings.precision = precision;
    settings.budget_s = 5;
    return settings;
}

Measured having(int repetitions, double value_s = 1e-6) {
    Measured measured;
    measured.longest_s.assign(static_cast<std::size_t>(repetitions), value_s);
    return measured;
}

TEST(KeepValid, DropsWhatIsSpoiltAndCountsIt) {
    Batch batch;
    batch.longest_s = {1, 2, 3};
    batch.spoilt = {0, 1, 0};
    batch.of_ranks_s = {1, 0.5, 2, 1, 3, 1.5};
    batch.phases.assign(3, std::vector<PhaseTotals>(1));
    batch.phases[2][0].sum.messages = 9;
    Measured measured;
    keep_valid(batch, 2, measured);
    EXPECT_EQ(measured.longest_s, (std::vector<double>{1, 3}));
    EXPECT_EQ(measured.of_ranks_s, (std::vector<double>{1, 0.5, 3, 1.5}));
    ASSERT_EQ(measured.phases.size(), 2U);
    EXPECT_EQ(measured.phases[1][0].sum.messages, 9U);
    EXPECT_EQ(measured.spoilt, 1);
}

TEST(NextBatch, IsFiftyAtMostAndWhatIsLeftInTheEnd) {
    EXPECT_EQ(next_batch(having(0), asking(1000), 0, 1e-6), 50);
    EXPECT_EQ(next_batch(having(990), asking(1000), 0, 1e-6), 10);
    EXPECT_EQ(next_batch(having(1000), asking(1000), 0, 1e-6), 0);
}

TEST(NextBatch, DoesNotGoFarBeyondTheBudget) {
    EXPECT_EQ(next_batch(having(0), asking(1000), 0, 1.0), 5) << "five of a second each are the budget";
    EXPECT_EQ(next_batch(having(2), asking(1000), 4.5, 1.0), 1);
    EXPECT_EQ(next_batch(having(0), asking(1000), 0, 60.0), 1) << "one at least";
    EXPECT_EQ(next_batch(having(5), asking(1000), 5.1, 1.0), 0);
    EXPECT_EQ(next_batch(having(0), asking(1000), 0, 0), 50) << "what takes no time on this clock";
}

TEST(NextBatch, EndsWhenTheQuantileIsKnown) {
    EXPECT_EQ(next_batch(having(50), asking(1000, 0.05), 0, 1e-6), 0) << "all values are equal";
    EXPECT_EQ(next_batch(having(5), asking(1000, 0.05), 0, 1e-6), 50) << "too few for an interval";
    Measured wide = having(50);
    for (std::size_t i = 0; i < wide.longest_s.size(); ++i) {
        wide.longest_s[i] = static_cast<double>(i);
    }
    EXPECT_EQ(next_batch(wide, asking(1000, 0.05), 0, 1e-6), 50);
}

} // namespace
} // namespace goodsyard
