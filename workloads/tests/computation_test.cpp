#include "harness/computation.hpp"

#include <gtest/gtest.h>

namespace goodsyard {
namespace {

TEST(Computation, IsRealOnARealMachineWhateverIsAskedFor) {
    const Computation computation(ComputeMode::calibrated, "");
    EXPECT_EQ(computation.label(), "real");
    computation.charge(Work::comparison, 1e18);
}

} // namespace
} // namespace goodsyard
