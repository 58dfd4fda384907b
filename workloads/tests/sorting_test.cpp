// What of the parallel sorts needs no ranks: the order, merging, splitters, histograms, medians, inputs.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/random.hpp"
#include "sorting/blocks.hpp"
#include "sorting/histogram_search.hpp"
#include "sorting/inputs.hpp"
#include "sorting/local_sort.hpp"
#include "sorting/merging.hpp"
#include "sorting/middle.hpp"
#include "sorting/pivots.hpp"
#include "sorting/position.hpp"
#include "sorting/scratch.hpp"

namespace goodsyard::sorting {
namespace {

TEST(Order, OfSignedAndFloatingPointKeysIsThatOfTheUnsignedOnes) {
    const std::vector<std::int64_t> all = {std::numeric_limits<std::int64_t>::min(), -7, -1, 0, 1, 9,
                                           std::numeric_limits<std::int64_t>::max()};
    const std::vector<double> real = {
        -std::numeric_limits<double>::infinity(), -1e300, -1, -1e-310, -0.0, 0.0, 1e-310, 2,
        std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(to_signed(ordered(all[i])), all[i]);
        EXPECT_TRUE(i == 0 || ordered(all[i - 1]) < ordered(all[i]));
    }
    for (std::size_t i = 0; i < real.size(); ++i) {
        EXPECT_EQ(std::bit_cast<Key>(to_double(ordered(real[i]))), std::bit_cast<Key>(real[i]));
        EXPECT_TRUE(i == 0 || ordered(real[i - 1]) < ordered(real[i]));
    }
}

TEST(Order, OfEqualKeysIsThatOfRanksAndThenOfIndices) {
    const std::vector<Key> block = {1, 5, 5, 5, 9};
    const Position pivot{5, 2, 2};
    EXPECT_EQ(count_before(block, 1, pivot), 4U); // An earlier rank's fives come before it,
    EXPECT_EQ(count_before(block, 3, pivot), 1U); // a later one's do not,
    EXPECT_EQ(count_before(block, 2, pivot), 2U); // its own by index.
    EXPECT_EQ(count_up_to(block, 2, pivot), 3U);
    EXPECT_EQ(count_up_to(block, 1, pivot), 4U);
}

/// Runs of random lengths, zero included, of few distinct keys; the payload is the place.
std::vector<Record> drawn_runs(int runs, std::uint64_t seed, std::vector<std::uint64_t>& begin) {
    const Random random(seed);
    std::vector<Record> items;
    begin = {0};
    for (std::uint64_t r = 0; r < static_cast<std::uint64_t>(runs); ++r) {
        const std::uint64_t length = random.below(12, r);
        for (std::uint64_t i = 0; i < length; ++i) {
            items.push_back({random.below(10, 1000 * (r + 1) + i), 0});
        }
        std::sort(items.begin() + static_cast<std::ptrdiff_t>(begin.back()), items.end(), LessKey());
        begin.push_back(items.size());
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].payload = i;
    }
    return items;
}

class Merging : public testing::TestWithParam<int> {};

TEST_P(Merging, IsStdStableSort) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        std::vector<std::uint64_t> begin;
        std::vector<Record> expected = drawn_runs(GetParam(), seed, begin);
        std::vector<Record> merged(seed % 3 * 20); // What it holds is not to matter.
        merge_runs(expected.data(), begin, merged);
        std::stable_sort(expected.begin(), expected.end(), LessKey());
        ASSERT_EQ(merged.size(), expected.size());
        for (std::size_t i = 0; i < merged.size(); ++i) {
            ASSERT_EQ(merged[i].payload, expected[i].payload);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Runs, Merging, testing::Values(0, 1, 2, 3, 4, 5, 7, 8, 9, 31));

TEST(MergingTwo, IsStableWhereverTheShorterRunLies) {
    // Few keys, so that the merges from both ends meet equal ones; lengths from nothing to far apart.
    for (const std::uint64_t left : {0U, 1U, 2U, 3U, 17U, 200U}) {
        for (const std::uint64_t right : {0U, 1U, 2U, 5U, 64U, 333U}) {
            for (std::uint64_t values : {1U, 3U, 1000U}) {
                const Random random(left * 1000 + right, values);
                std::vector<Record> items;
                for (std::uint64_t i = 0; i < left + right; ++i) {
                    items.push_back({random.below(values, i), 0});
                }
                const auto middle = items.begin() + static_cast<std::ptrdiff_t>(left);
                std::sort(items.begin(), middle, LessKey());
                std::sort(middle, items.end(), LessKey());
                for (std::size_t i = 0; i < items.size(); ++i) {
                    items[i].payload = i;
                }
                std::vector<Record> merged;
                merge_runs(items.data(), {0, left, left + right}, merged);
                std::stable_sort(items.begin(), items.end(), LessKey());
                ASSERT_EQ(merged.size(), items.size());
                for (std::size_t i = 0; i < items.size(); ++i) {
                    ASSERT_EQ(merged[i].payload, items[i].payload) << left << " and " << right;
                }
            }
        }
    }
}

TEST(Scratch, KeepsItsMemoryForWhatIsNotLarger) {
    Scratch<Key> scratch;
    EXPECT_EQ(scratch.room(0), nullptr);
    Key* const first = scratch.room(100);
    first[99] = 7;
    EXPECT_EQ(scratch.room(10), first);
    const std::size_t many = std::size_t{3} << 20; // 24 MiB: in large pages
    Key* const large = scratch.room(many);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large) % (std::size_t{1} << 21), 0U);
    large[0] = large[many - 1] = 7;
    EXPECT_EQ(scratch.room(many), large);
}

TEST(Splitters, OfEqualWeightsAreEveryPthSample) {
    std::vector<Sample> samples;
    for (std::uint64_t i = 0; i < 12; ++i) {
        samples.push_back({{11 - i, 0, 0}, 5});
    }
    const std::vector<Position> splitters = choose_splitters(samples, 4);
    ASSERT_EQ(splitters.size(), 3U);
    for (std::uint64_t j = 0; j < 3; ++j) {
        EXPECT_EQ(splitters[j].key, (j + 1) * 12 / 4); // ⌊(j + 1) |S| / p⌋
    }
}

TEST(Splitters, OfUnequalWeightsCutTheWeightAndLeaveEmptyBlocksOut) {
    std::vector<Sample> samples = {{{1, 0, 0}, 10}, {{2, 0, 0}, 10}, {{3, 0, 0}, 80}, {{0, 1, 0}, 0}};
    EXPECT_EQ(choose_splitters(samples, 2).front().key, 3U);
    std::vector<Sample> heavy_first = {{{1, 0, 0}, 80}, {{2, 0, 0}, 10}, {{3, 0, 0}, 10}};
    EXPECT_EQ(choose_splitters(heavy_first, 2).front().key, 1U);
}

TEST(WeightedMedian, HasAtMostHalfOfTheWeightOnEitherSide) {
    const Random random(3);
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
        std::vector<WeightedPivot> pivots;
        std::uint64_t total = 0;
        for (std::uint64_t i = 0; i < 1 + trial % 9; ++i) {
            pivots.push_back(
                {{random.below(6, 100 * trial + i), i, 0}, random.below(5, 100 * trial + 50 + i) + 1});
            total += pivots.back().weight;
        }
        const Position median = weighted_median(pivots);
        std::uint64_t before = 0;
        std::uint64_t behind = 0;
        for (const WeightedPivot& weighted_pivot : pivots) {
            before += weighted_pivot.at < median ? weighted_pivot.weight : 0;
            behind += median < weighted_pivot.at ? weighted_pivot.weight : 0;
        }
        EXPECT_LE(2 * before, total);
        EXPECT_LE(2 * behind, total);
    }
}

TEST(Search, NarrowsToTheOneCutThatIsRight) {
    // Two blocks, every target, and every pivot that can be drawn: the invariant holds until it is found.
    const std::vector<std::vector<Key>> blocks = {{1, 3, 3, 3, 8}, {0, 3, 3, 9}};
    for (std::uint64_t target = 1; target < 9; ++target) {
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            const Random random(seed);
            std::vector<SearchWindow> windows = {{target, 0, 5}, {target, 0, 4}};
            for (std::uint64_t step = 0; !windows[0].found; ++step) {
                ASSERT_LT(step, 20U);
                std::vector<Position> candidates;
                for (std::uint64_t r = 0; r < 2; ++r) {
                    for (std::uint64_t i = windows[r].low; i < windows[r].high; ++i) {
                        candidates.push_back({blocks[r][i], r, i});
                    }
                }
                ASSERT_FALSE(candidates.empty());
                const Position pivot = candidates[random.below(candidates.size(), step)];
                const std::uint64_t local[] = {count_before(blocks[0], 0, pivot),
                                               count_before(blocks[1], 1, pivot)};
                for (std::uint64_t r = 0; r < 2; ++r) {
                    windows[r].narrow(local[r], local[0] + local[1], pivot.rank == r);
                }
            }
            ASSERT_TRUE(windows[1].found);
            EXPECT_EQ(windows[0].low + windows[1].low, target);
        }
    }
}

/// Probes of sorted keys, as counting makes them.
std::vector<Probe> probe(const std::vector<Key>& keys, const std::vector<Key>& at) {
    std::vector<Probe> probes;
    for (const Key key : at) {
        probes.push_back(
            {key, static_cast<std::uint64_t>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin()),
             static_cast<std::uint64_t>(std::upper_bound(keys.begin(), keys.end(), key) - keys.begin())});
    }
    return probes;
}

TEST(Histogram, AcceptsTheNearestProbeWithinTheTolerance) {
    std::vector<Key> keys(100);
    std::iota(keys.begin(), keys.end(), 0);
    Bracket bracket;
    bracket.target = 50;
    narrow(bracket, probe(keys, {20, 44, 57, 90}), 3);
    EXPECT_FALSE(bracket.accepted);
    EXPECT_EQ(bracket.low.key, 44U);
    EXPECT_EQ(bracket.high.key, 57U);
    EXPECT_EQ(bracket.inside(100), 12U); // 45 … 56
    narrow(bracket, probe(keys, {48, 49, 53}), 3);
    EXPECT_TRUE(bracket.accepted);
    EXPECT_EQ(bracket.at.key, 49U);
    EXPECT_EQ(bracket.cut, 50U); // 49 itself can go to the left.
}

TEST(Histogram, CutsEqualKeysWhereTheTargetIs) {
    const std::vector<Key> keys(100, 7);
    Bracket bracket;
    bracket.target = 30;
    narrow(bracket, probe(keys, {7}), 0);
    EXPECT_TRUE(bracket.accepted);
    EXPECT_EQ(bracket.cut, 30U);
    EXPECT_EQ(bracket.at.below, 0U);
}

TEST(Middle, KeepsTheTwoInTheMiddleAndLeavesAnOddOneOutOnEitherSide) {
    RandomBits bits(1, 0);
    const auto values_of = [](std::initializer_list<Key> keys) {
        Middle middle;
        for (const Key key : keys) {
            middle.add({key, 0, 0});
        }
        return middle;
    };
    const Middle four = merged(values_of({1, 9}), values_of({4, 6}), bits);
    EXPECT_EQ(four.values[0].key, 4U);
    EXPECT_EQ(four.values[1].key, 6U);
    bool lower = false;
    bool upper = false;
    for (int i = 0; i < 50; ++i) {
        const Middle three = merged(values_of({1, 9}), values_of({4}), bits);
        ASSERT_EQ(three.count, 2U);
        lower = lower || three.values[0].key == 1;
        upper = upper || three.values[0].key == 4;
    }
    EXPECT_TRUE(lower && upper);
    EXPECT_EQ(merged(values_of({}), values_of({}), bits).count, 0U);
    EXPECT_EQ(merged(values_of({}), values_of({3}), bits).values[0].key, 3U);
}

TEST(Middle, IsAsNearToTheMedianAsTheTreeOfAxtmannAndSanders) {
    // Mean |rank / p − 1/2| for k = 2, simulated apart from this code: .067, .043, .026, .018 at p = 16, 64,
    // 256, 1024.
    const std::vector<std::pair<int, double>> expected = {{16, .067}, {64, .043}, {256, .026}, {1024, .018}};
    for (const auto& [p, distance] : expected) {
        const int trials = 60'000 / p;
        double sum = 0;
        for (int trial = 0; trial < trials; ++trial) {
            const auto seed = static_cast<std::uint64_t>(p) * 100'000 + static_cast<std::uint64_t>(trial);
            const Random random(seed, 99);
            RandomBits bits(seed, 0);
            std::vector<Middle> nodes(static_cast<std::size_t>(p));
            std::vector<Key> keys;
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                keys.push_back(random.bits(i));
                nodes[i].add({keys.back(), i, 0});
            }
            for (std::size_t step = 1; step < nodes.size(); step *= 2) {
                for (std::size_t i = 0; i + step < nodes.size(); i += 2 * step) {
                    nodes[i] = merged(nodes[i], nodes[i + step], bits);
                }
            }
            const Key key = chosen(nodes[0], bits).key;
            const auto rank = std::count_if(keys.begin(), keys.end(), [&](Key each) { return each < key; });
            sum += std::abs((static_cast<double>(rank) + .5) / p - .5);
        }
        EXPECT_NEAR(sum / trials, distance, .25 * distance) << "p = " << p;
    }
}

TEST(Blocks, HoldEverythingOnceForAnyNumberOfRanks) {
    for (const Blocks blocks : {Blocks::even, Blocks::uneven, Blocks::holes}) {
        for (const int ranks : {1, 2, 3, 7, 64}) {
            for (const std::uint64_t total : {0U, 1U, 5U, 1000U}) {
                const auto begin = cut_into_blocks(blocks, total, ranks, 5);
                ASSERT_EQ(begin.size(), static_cast<std::size_t>(ranks) + 1);
                EXPECT_EQ(begin.front(), 0U);
                EXPECT_EQ(begin.back(), total);
                EXPECT_TRUE(std::is_sorted(begin.begin(), begin.end()));
                for (std::size_t r = 1; blocks == Blocks::holes && r < static_cast<std::size_t>(ranks);
                     r += 2) {
                    EXPECT_EQ(begin[r], begin[r + 1]);
                }
            }
        }
    }
}

TEST(Inputs, AreWhatTheirNamesSay) {
    const std::uint64_t n = 20'000;
    const auto keys = [&](Distribution distribution, KeyType type = KeyType::u64) {
        const Input input(distribution, type, n, 1);
        std::vector<Key> all;
        for (std::uint64_t i = 0; i < n; ++i) {
            all.push_back(input.key(i));
        }
        return all;
    };
    const auto distinct = [](std::vector<Key> all) {
        std::sort(all.begin(), all.end());
        return std::unique(all.begin(), all.end()) - all.begin();
    };
    EXPECT_EQ(distinct(keys(Distribution::uniform)), 20'000);
    EXPECT_EQ(distinct(keys(Distribution::few)), 8);
    EXPECT_EQ(distinct(keys(Distribution::equal)), 1);
    auto sorted = keys(Distribution::sorted);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    auto reverse = keys(Distribution::reverse);
    std::reverse(reverse.begin(), reverse.end());
    EXPECT_EQ(reverse, sorted);
    auto pieces = keys(Distribution::pieces);
    int descents = 0;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        descents += pieces[i] < pieces[i - 1] ? 1 : 0;
    }
    EXPECT_GT(descents, 0);
    EXPECT_LT(descents, 16);
    double sum = 0;
    for (const Key key : keys(Distribution::gaussian, KeyType::f64)) {
        sum += to_double(key);
    }
    EXPECT_NEAR(sum / static_cast<double>(n), 0, 4 / std::sqrt(static_cast<double>(n)));
    auto zipf = keys(Distribution::zipf);
    // Log-uniform: as many below 1,000 as above, of 10^6.
    EXPECT_NEAR(static_cast<double>(std::count_if(zipf.begin(), zipf.end(), [](Key k) { return k < 1000; })) /
                    static_cast<double>(n),
                .5, .02);
}

class LocalSorts : public testing::TestWithParam<LocalSort> {};

TEST_P(LocalSorts, AreStdSort) {
    if (!is_built_in(GetParam())) {
        GTEST_SKIP() << "built without it: apt-get install " << package_of(GetParam());
    }
    for (const std::uint64_t n : {0U, 1U, 2U, 100U, 5000U}) {
        for (const Distribution distribution :
             {Distribution::uniform, Distribution::few, Distribution::reverse}) {
            const Input input(distribution, KeyType::u64, n, 1);
            std::vector<Key> keys;
            std::vector<Record> records;
            for (std::uint64_t i = 0; i < n; ++i) {
                keys.push_back(input.key(i));
                records.push_back({input.key(i), i});
            }
            std::vector<Key> expected = keys;
            std::sort(expected.begin(), expected.end());
            sort_locally(keys, GetParam());
            EXPECT_EQ(keys, expected);
            if (GetParam() == LocalSort::vqsort) {
                EXPECT_THROW(sort_locally(records, GetParam()), std::invalid_argument);
                continue;
            }
            sort_locally(records, GetParam());
            EXPECT_TRUE(std::is_sorted(records.begin(), records.end(), LessKey()));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, LocalSorts,
                         testing::Values(LocalSort::std, LocalSort::pdq, LocalSort::ips4o,
                                         LocalSort::vqsort));

} // namespace
} // namespace goodsyard::sorting
