// Asserts that every NAS kernel reaches the official values of class S, whatever the number of threads, and
// that a value that is off is found.

#include "npb/kernel.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <omp.h>
#include <tuple>

namespace goodsyard::npb {
namespace {

struct Named {
    const char* name;
    std::unique_ptr<Kernel> (*make)(ProblemClass);
};

void PrintTo(const Named& named, std::ostream* to) {
    *to << named.name;
}

class NpbKernel : public testing::TestWithParam<std::tuple<Named, int>> {};

TEST_P(NpbKernel, ReachesTheOfficialValuesOfClassS) {
    const auto& [named, threads] = GetParam();
    omp_set_num_threads(threads);
    const auto kernel = named.make(ProblemClass::S);
    kernel->prepare();
    kernel->solve();
    const std::vector<Check> checks = kernel->verify();
    ASSERT_FALSE(checks.empty());
    for (const Check& check : checks) {
        EXPECT_TRUE(check.passed()) << check.what << " is " << check.computed << ", not " << check.official;
    }
}

std::string called(const testing::TestParamInfo<NpbKernel::ParamType>& parameters) {
    const auto& [named, threads] = parameters.param;
    return std::string(named.name) + "On" + std::to_string(threads);
}

constexpr Named ep{"ep", make_ep}, cg{"cg", make_cg}, mg{"mg", make_mg}, ft{"ft", make_ft}, is{"is", make_is},
    bt{"bt", make_bt}, sp{"sp", make_sp}, lu{"lu", make_lu};

INSTANTIATE_TEST_SUITE_P(S, NpbKernel,
                         testing::Combine(testing::Values(ep, cg, mg, ft, is, bt, sp, lu),
                                          testing::Values(1, 2, 3, 5)),
                         called);

TEST(NpbCheck, PassesWithinItsToleranceOnly) {
    EXPECT_TRUE((Check{"x", 1 + 1e-9, 1, 1e-8}).passed());
    EXPECT_FALSE((Check{"x", 1 + 1e-7, 1, 1e-8}).passed());
    EXPECT_TRUE((Check{"x", -1 - 1e-9, -1, 1e-8}).passed());
    EXPECT_FALSE((Check{"x", -1, 1, 1e-8}).passed());
}

TEST(NpbCheck, AsksForEqualityWithoutATolerance) {
    EXPECT_TRUE((Check{"rank", 17, 17, 0}).passed());
    EXPECT_FALSE((Check{"rank", 18, 17, 0}).passed());
}

TEST(NpbCheck, WhatIsNotANumberDoesNotPass) {
    EXPECT_FALSE((Check{"x", std::numeric_limits<double>::quiet_NaN(), 1, 1e-8}).passed());
    EXPECT_FALSE((Check{"x", std::numeric_limits<double>::infinity(), 1, 1e-8}).passed());
}

} // namespace
} // namespace goodsyard::npb
