// How windows follow what was seen of a batch.

#include "harness/window.hpp"

#include <gtest/gtest.h>

namespace workloads {
namespace {

Batch batch_of(int repetitions, int spoilt, double longest_s) {
    Batch batch;
    batch.longest_s.assign(static_cast<std::size_t>(repetitions), longest_s);
    batch.spoilt.assign(static_cast<std::size_t>(repetitions), 0);
    // From the end: the first start depends on the lead alone.
    for (int i = 0; i < spoilt; i++) {
        batch.spoilt[batch.spoilt.size() - 1 - static_cast<std::size_t>(i)] = 1;
    }
    return batch;
}

TEST(Window, IsMadeFromWhatOneRunTookOrFromWhatTheUserSays) {
    EXPECT_DOUBLE_EQ(Window(0, 10e-6).length_s(), 80e-6);
    EXPECT_DOUBLE_EQ(Window(0, 1e-9).length_s(), 20e-6) << "not shorter than waiting takes";
    EXPECT_DOUBLE_EQ(Window(5e-6, 10e-6).length_s(), 5e-6);
}

TEST(Window, StaysWhileLessThanAQuarterIsSpoilt) {
    Window window(100e-6, 0);
    window.adapt(batch_of(40, 9, 10e-6), 50e-6);
    EXPECT_DOUBLE_EQ(window.length_s(), 100e-6);
}

TEST(Window, WidensWhenAQuarterIsSpoilt) {
    Window window(100e-6, 0);
    window.adapt(batch_of(40, 10, 10e-6), 50e-6);
    EXPECT_DOUBLE_EQ(window.length_s(), 200e-6);
}

TEST(Window, GivesMoreLeadOnlyWhereTheFirstRepetitionWasSpoilt) {
    Window window(100e-6, 0);
    const double before_s = window.lead_s();
    window.adapt(batch_of(40, 39, 10e-6), 50e-6);
    EXPECT_DOUBLE_EQ(window.lead_s(), before_s);
    window.adapt(batch_of(40, 40, 10e-6), 50e-6);
    EXPECT_DOUBLE_EQ(window.lead_s(), 2 * before_s);
}

} // namespace
} // namespace workloads
