// What ranks make together, and not alike.
#include <gtest/gtest.h>
#include <string>

#include "containers/counting_set.hpp"
#include "containers/map.hpp"
#include "global/forall.hpp"
#include "global/global_array.hpp"
#include "global/symmetric.hpp"
#include "misuse.hpp"
#include "runtime/agreement.hpp"

namespace goodsyard::runtime {
namespace {

const std::string at = " \\(runtime_agreement_test.cpp:[0-9]+\\)";
const std::string cure = ": make the same on all ranks, in the same order";

std::string different(const std::string& first, const std::string& second) {
    return "ranks make different things together: rank 0 " + first + at + ", rank 1 " + second + at + cure;
}

TEST(GlobalArrays, OfOtherSizesByRankEndTheProgramWithBoth) {
    expect_end(
        [](Runtime&, const Team& team) {
            const global::GlobalArray<int> array(team, team.rank() == 1 ? 20 : 10);
        },
        different("a GlobalArray<int> of 10 elements in blocks of [45]",
                  "a GlobalArray<int> of 20 elements in blocks of (10|7)"));
}

TEST(GlobalArrays, DealtInAnotherWayEndTheProgram) {
    expect_end(
        [](Runtime&, const Team& team) {
            const global::GlobalArray<int> array(
                team, 100, team.is_root() ? global::Dealing::cyclic : global::Dealing::block);
        },
        different("a GlobalArray<int> of 100 elements in blocks of 1",
                  "a GlobalArray<int> of 100 elements in blocks of (50|34)"));
}

TEST(GlobalArrays, OfAnotherTypeEndTheProgram) {
    expect_end(
        [](Runtime&, const Team& team) {
            if (team.is_root()) {
                const global::GlobalArray<int> array(team, 10);
            } else {
                const global::GlobalArray<char> array(team, 10);
            }
        },
        different("a GlobalArray<int> of 10 .+", "a GlobalArray<char> of 10 .+"));
}

TEST(Containers, ThatAreNotTheSameOnAllRanksEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            global::Messages messages(runtime);
            if (team.is_root()) {
                const containers::Map<int, int> map(team, messages);
            } else {
                const containers::Map<int, double> map(team, messages);
            }
        },
        different("a Map<int, int>", "a Map<int, double>"));
}

TEST(SymmetricObjects, ThatAreNotTheSameOnAllRanksEndTheProgram) {
    expect_end(
        [](Runtime&, const Team& team) {
            int integer = 0;
            float fraction = 0;
            if (team.is_root()) {
                const global::Symmetric<int> everywhere(team, integer);
            } else {
                const global::Symmetric<float> everywhere(team, fraction);
            }
        },
        different("a Symmetric<int>", "a Symmetric<float>"));
}

TEST(Loops, OfOtherSizesByRankEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            global::forall(runtime, team.rank() == 1 ? 20 : 10, [](std::uint64_t) {});
        },
        "(10|20) indices of forall\\(\\) at runtime_agreement_test.cpp:[0-9]+ here, 10 on the rank with "
        "least, "
        "[34]0 on all ranks together: pass the same number on all ranks");
}

TEST(CountingSets, AskedForOtherNumbersOfKeysByRankEndTheProgram) {
    expect_end(
        [](Runtime& runtime, const Team& team) {
            global::Messages messages(runtime);
            containers::CountingSet<int> counts(team, messages);
            static_cast<void>(counts.top(team.is_root() ? 3 : 4));
        },
        "[34] keys of top\\(\\) at runtime_agreement_test.cpp:[0-9]+ here, 3 on the rank with least, .+");
}

TEST(Products, AreComparedByAllRanksWhicheverDiffers) {
    for (const int odd : {0, 1, 2}) {
        const std::string sentence = "ranks make different things together: rank 0 a thing( more)?" + at +
                                     ", rank [12] a thing( more)?" + at + cure;
        EXPECT_EXIT(on_ranks({.ranks = 3}, {},
                             [odd](Runtime&, const Team& team) {
                                 compare_products(team, team.rank() == odd ? "a thing more" : "a thing",
                                                  Place::current());
                             }),
                    testing::ExitedWithCode(1), sentence);
    }
}

} // namespace
} // namespace goodsyard::runtime
