// MAFIA's phases on inputs whose counts have closed forms, its variants against each other, and what it finds
// of what was planted.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "harness/failure.hpp"
#include "mafia/clustering.hpp"
#include "mafia/gen.hpp"
#include "mafia/planted.hpp"
#include "mafia/recovery.hpp"
#include "mafia/unit.hpp"

namespace goodsyard::mafia {
namespace {

constexpr double inside = 5;
constexpr double outside = 50;

/// A window [0, 10) of `dimension` that is dense with `threshold` points.
Window set_window(int dimension, int number, double lower, std::int64_t threshold) {
    Window window;
    window.dimension = dimension;
    window.number = number;
    window.bins = 1;
    window.largest_bin = threshold;
    window.threshold = threshold;
    window.lower = lower;
    window.upper = lower + 10;
    return window;
}

/// One cluster of all k dimensions with one dense window each, and some points elsewhere.
struct SetWindows {
    explicit SetWindows(int k)
        : points{200, k, std::vector<double>(200 * static_cast<std::size_t>(k), inside)} {
        for (int j = 0; j < k; ++j) {
            std::fill(points.dimension(j) + 150, points.dimension(j) + 200, outside);
            windows.push_back(set_window(j, 0, 0, 100));
        }
    }
    Points points;
    std::vector<Window> windows;
};

const Clock& test_clock() {
    static const Clock clock(Timer::monotonic);
    return clock;
}

Clustering cluster(const Points& points, const Variants& variants) {
    Phases phases(test_clock());
    return Mafia(phases).cluster(points, {}, variants);
}

Clustering cluster_in(const Points& points, const std::vector<Window>& windows, const Variants& variants) {
    Phases phases(test_clock());
    return Mafia(phases).cluster_in(points, windows, variants);
}

std::uint64_t choose(std::uint64_t n, std::uint64_t a) {
    std::uint64_t result = 1;
    for (std::uint64_t i = 1; i <= a; ++i) {
        result = result * (n - a + i) / i;
    }
    return result;
}

std::vector<std::vector<std::vector<int>>> units_of(const Clustering& result) {
    std::vector<std::vector<std::vector<int>>> all;
    for (const Cluster& each : result.clusters) {
        all.push_back(each.units);
        std::sort(all.back().begin(), all.back().end());
    }
    std::sort(all.begin(), all.end());
    return all;
}

class ClosedForms : public testing::TestWithParam<int> {};

TEST_P(ClosedForms, HoldForEveryPhase) {
    const auto k = static_cast<std::uint64_t>(GetParam());
    const SetWindows input(GetParam());
    const Clustering result = cluster_in(input.points, input.windows, {});
    const std::uint64_t units = (std::uint64_t{1} << k) - 1; // Σ C(k, a)
    const std::uint64_t words = (200 + 63) / 64;
    EXPECT_EQ(result.counts.candidates, units);
    EXPECT_EQ(result.counts.dense, units);
    EXPECT_EQ(result.counts.merges, k * (k - 1) * (std::uint64_t{1} << k) / 8); // k (k−1) 2^(k−3)
    EXPECT_EQ(result.counts.pairs, result.counts.merges);
    EXPECT_EQ(result.counts.words, k * (std::uint64_t{1} << (k - 1)) * words);
    EXPECT_EQ(result.counts.subsequences, k * (std::uint64_t{1} << (k - 1)) - k);
    EXPECT_EQ(result.counts.coordinates, 0U);
    ASSERT_EQ(result.clusters.size(), 1U);
    EXPECT_EQ(result.clusters[0].dimensions.size(), k);
    EXPECT_EQ(result.clusters[0].count, 150);
}

TEST_P(ClosedForms, OfTheNaiveVariantsGrowWithTheSquareOfTheUnitsAndFindTheSame) {
    const auto k = static_cast<std::uint64_t>(GetParam());
    const SetWindows input(GetParam());
    const Clustering naive =
        cluster_in(input.points, input.windows, {Join::pairs, Dedup::pairs, Counting::points});
    std::uint64_t pairs = 0;
    for (std::uint64_t a = 1; a <= k; ++a) {
        pairs += choose(choose(k, a), 2);
    }
    EXPECT_EQ(naive.counts.pairs, pairs);
    EXPECT_EQ(naive.counts.words, 0U);
    EXPECT_EQ(naive.counts.subsequences, 0U);
    // 150 points pass all windows of a candidate, 50 fail at the first: Σ C(k, a) (150 a + 50).
    EXPECT_EQ(naive.counts.coordinates,
              150 * k * (std::uint64_t{1} << (k - 1)) + 50 * ((std::uint64_t{1} << k) - 1));
    EXPECT_EQ(units_of(naive), units_of(cluster_in(input.points, input.windows, {})));
}

INSTANTIATE_TEST_SUITE_P(K, ClosedForms, testing::Range(2, 13));

/// Two clusters of k dimensions, of which they have `shared` windows together and the others alone.
struct SharedWindows {
    SharedWindows(int k, int shared)
        : points{300, 2 * k - shared,
                 std::vector<double>(300 * static_cast<std::size_t>(2 * k - shared), outside)} {
        for (int j = 0; j < 2 * k - shared; ++j) {
            double* const x = points.dimension(j);
            std::fill(x + (j < k ? 0 : 150), x + (j < k - shared ? 150 : 300), inside);
            windows.push_back(set_window(j, 0, 0, 100));
        }
    }
    Points points;
    std::vector<Window> windows;
};

TEST(ClustersThatOverlap, CountUnitsOfBothOnceAndMergeAcrossThem) {
    for (int k = 2; k < 10; ++k) {
        for (int s = 0; s <= k; ++s) {
            const SharedWindows input(k, s);
            const Clustering result = cluster_in(input.points, input.windows, {});
            const auto within = [](int n) { // the merges of one cluster of n dimensions
                return n < 2 ? 0 : static_cast<std::uint64_t>(n * (n - 1)) * (std::uint64_t{1} << n) / 8;
            };
            const auto across = static_cast<std::uint64_t>((k - s) * (k - s)) * (std::uint64_t{1} << s);
            EXPECT_EQ(result.counts.merges, 2 * within(k) - within(s) + across) << k << ' ' << s;
            const std::uint64_t dense = 2 * ((std::uint64_t{1} << k) - 1) - ((std::uint64_t{1} << s) - 1);
            EXPECT_EQ(result.counts.dense, dense) << k << ' ' << s;
            EXPECT_EQ(result.clusters.size(), s == k ? 1U : 2U) << k << ' ' << s;
        }
    }
}

TEST(Variants, AllFindTheSameClustersInDrawnData) {
    Plan plan;
    plan.points = 3000;
    plan.dimensions = 8;
    plan.cluster_dimensions = 4;
    for (const std::uint64_t seed : {1, 2, 3}) {
        plan.seed = seed;
        const std::vector<Box> boxes = draw_boxes(plan);
        const Points points = draw_points(plan, boxes);
        const Clustering expected = cluster(points, {});
        ASSERT_FALSE(expected.clusters.empty());
        for (const Join join : {Join::index, Join::pairs}) {
            for (const Dedup dedup : {Dedup::hash, Dedup::tree, Dedup::pairs}) {
                for (const Counting counting : {Counting::bitmaps, Counting::points}) {
                    const Clustering result = cluster(points, {join, dedup, counting});
                    EXPECT_EQ(units_of(result), units_of(expected));
                    EXPECT_EQ(result.counts.merges, expected.counts.merges);
                    EXPECT_EQ(result.counts.candidates, expected.counts.candidates);
                }
            }
        }
    }
}

TEST(Variants, WithMoreWindowsThanAWordHasBitsFindTheSame) {
    SetWindows input(5);
    const Clustering few = cluster_in(input.points, input.windows, {});
    // Windows that no point lies in are dense by themselves and in nothing larger.
    std::vector<Window> many = input.windows;
    for (int number = 1; number <= 300; ++number) {
        many.push_back(set_window(4, 2 * number, 1000.0 * number, 0));
    }
    const Clustering result = cluster_in(input.points, many, {});
    const auto& largest =
        *std::max_element(result.clusters.begin(), result.clusters.end(),
                          [](const Cluster& a, const Cluster& b) { return a.count < b.count; });
    EXPECT_EQ(largest.dimensions, few.clusters[0].dimensions);
    EXPECT_EQ(largest.points, few.clusters[0].points);
}

TEST(Variants, RefuseMoreWindowsThanAUnitHolds) {
    const SetWindows input(2);
    std::vector<Window> many;
    for (int number = 0; number <= Unit<16>::most_windows; ++number) {
        many.push_back(set_window(0, number, 10.0 * number, 0));
    }
    EXPECT_THROW(cluster_in(input.points, many, {}), UsageError);
}

TEST(Gen, DoesNotDependOnHowManyPartsThereAre) {
    // 14 windows have 3,432 subsequences of 7: several parts, against the naive order as a witness.
    const int k = 14;
    const SetWindows input(k);
    std::vector<Unit<1>> units;
    for (unsigned bits = 0; bits < 1U << k; ++bits) {
        Unit<1> unit;
        for (int window = 0; window < k; ++window) {
            if (bits >> window & 1U) {
                unit = unit.with(window);
            }
        }
        if (unit.size() == 8) {
            units.push_back(unit);
        }
    }
    Counts counts;
    std::vector<Unit<1>> by_index = gen(units, input.windows, Join::index, counts);
    EXPECT_EQ(by_index, gen(units, input.windows, Join::index, counts));
    std::vector<Unit<1>> by_pairs = gen(units, input.windows, Join::pairs, counts);
    std::sort(by_index.begin(), by_index.end());
    std::sort(by_pairs.begin(), by_pairs.end());
    EXPECT_EQ(by_index, by_pairs);
}

TEST(UnitSet, NumbersUnitsInTheOrderInWhichTheyCame) {
    UnitSet<Unit<2>> set;
    std::set<Unit<2>> witness;
    const Random draws(1, 1);
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const Unit<2> unit =
            Unit<2>(static_cast<int>(draws.bits(i) % 128)).with(static_cast<int>(draws.bits(~i) % 128));
        const bool is_new = witness.insert(unit).second;
        EXPECT_EQ(set.find(unit).has_value(), !is_new);
        const std::uint32_t number = set.insert(unit);
        EXPECT_EQ(set.units()[number], unit);
        EXPECT_EQ(set.units().size(), witness.size());
    }
    EXPECT_GT(set.comparisons(), 0U);
}

TEST(Windows, MergeUpToAQuarterOfDifferenceAndNoFurther) {
    // Ten pieces of one bin; by hand: 8, 6 merge (1 − 6/8 = .25), then 4 does not (1 − 4/8), zeros merge.
    GridOptions options;
    options.most_windows = 10;
    const std::vector<std::int64_t> histogram = {8, 6, 4, 0, 0, 0, 12, 9, 12, 13};
    const auto windows = cut_dimension(3, histogram, 0, 10, 64, options);
    std::vector<int> bins;
    for (const Window& window : windows) {
        bins.push_back(window.bins);
    }
    EXPECT_EQ(bins, (std::vector<int>{2, 1, 3, 4}));
    EXPECT_EQ(windows[3].largest_bin, 13);
    EXPECT_EQ(windows[3].threshold, 38); // ⌊1.5 · 4 · 64 / 10⌋
    EXPECT_TRUE(windows[3].dense());
    EXPECT_FALSE(windows[1].dense()); // 4 < ⌊1.5 · 1 · 64 / 10⌋ = 9
    EXPECT_DOUBLE_EQ(windows[3].lower, 6);
    EXPECT_DOUBLE_EQ(windows[3].upper, 10);
    EXPECT_EQ(windows[3].dimension, 3);
}

TEST(Windows, OfFewPointsAreNotDenseWithoutThem) {
    // Of 8 points in 1,000 bins, a piece of 10 bins is due .12 by the factor: neither no point nor one is a
    // cluster.
    Points points{8, 6, {}};
    const Random random(1);
    for (std::uint64_t i = 0; i < 48; ++i) {
        points.coordinates.push_back(random.unit(i));
    }
    for (const Window& window : find_dense_windows(points, {})) {
        EXPECT_GE(window.threshold, 2);
        EXPECT_GT(window.largest_bin, 0);
    }
    for (const Counting counting : {Counting::bitmaps, Counting::points}) {
        Variants variants;
        variants.counting = counting;
        for (const Cluster& each : cluster(points, variants).clusters) {
            EXPECT_GE(each.count, 2);
        }
    }
}

TEST(Windows, OfAnEvenDimensionAreFiveAndOfAConstantOneNone) {
    const std::vector<std::int64_t> even(1000, 7);
    const auto windows = cut_dimension(0, even, 0, 100, 7000, {});
    EXPECT_EQ(windows.size(), 5U);
    for (const Window& window : windows) {
        EXPECT_FALSE(window.dense());
    }
    EXPECT_TRUE(cut_dimension(0, even, 3, 3 + GridOptions::epsilon, 7000, {}).empty());
}

TEST(Clusters, OfNeighbouringWindowsAreOneAndThoseApartAreTwo) {
    // Two dimensions; dense windows 0, 1 and 3 of dimension 0, and one of dimension 1.
    Points points{90, 2, std::vector<double>(180, inside)};
    for (std::size_t i = 0; i < 90; ++i) {
        points.dimension(0)[i] = i < 30 ? 5 : i < 60 ? 15 : 35;
    }
    std::vector<Window> windows;
    for (const int number : {0, 1, 3}) {
        windows.push_back(set_window(0, number, 10.0 * number, 25));
    }
    windows.push_back(set_window(1, 0, 0, 25));
    const Clustering result = cluster_in(points, windows, {});
    ASSERT_EQ(result.clusters.size(), 2U);
    EXPECT_EQ(result.clusters[0].count, 60);
    EXPECT_EQ(result.clusters[0].lower, (std::vector<double>{0, 0}));
    EXPECT_EQ(result.clusters[0].upper, (std::vector<double>{20, 10}));
    EXPECT_EQ(result.clusters[1].count, 30);
}

class Planted : public testing::TestWithParam<int> {};

TEST_P(Planted, ClustersAreFoundWithTheirDimensionsAndPoints) {
    Plan plan; // n = 10^5: with fewer points bins differ by chance, and windows do not merge.
    plan.cluster_dimensions = GetParam();
    for (const std::uint64_t seed : {1, 2}) {
        plan.seed = seed;
        const std::vector<Box> boxes = draw_boxes(plan);
        const Points points = draw_points(plan, boxes);
        const Clustering result = cluster(points, {});
        EXPECT_EQ(std::count_if(result.clusters.begin(), result.clusters.end(),
                                [&](const Cluster& each) {
                                    return each.dimensions.size() == boxes[0].dimensions.size();
                                }),
                  3);
        for (const Recovered& recovered : compare(boxes, result.clusters, points)) {
            EXPECT_TRUE(recovered.found);
            EXPECT_GE(recovered.recall, 0.95);
            EXPECT_GE(recovered.precision, 0.98);
            EXPECT_LE(recovered.largest_edge, 1.01); // A window before merging is one wide.
        }
    }
}

INSTANTIATE_TEST_SUITE_P(K, Planted, testing::Values(3, 5, 8));

TEST(Planted, WithOneClusterHaveTheFirstDimensions) {
    Plan plan;
    plan.clusters = 1;
    plan.cluster_dimensions = 4;
    for (plan.shared = 0; plan.shared < 3; ++plan.shared) {
        EXPECT_EQ(draw_boxes(plan)[0].dimensions, (std::vector<int>{0, 1, 2, 3}));
    }
}

TEST(Planted, BoxesKeepTheirDistance) {
    Plan plan;
    plan.clusters = 4;
    plan.cluster_dimensions = 15;
    for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
        const std::vector<Box> boxes = draw_boxes(plan);
        for (std::size_t a = 0; a < boxes.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                for (std::size_t i = 0; i < 15; ++i) {
                    for (std::size_t j = 0; j < 15; ++j) {
                        if (boxes[a].dimensions[i] == boxes[b].dimensions[j]) {
                            EXPECT_GE(std::abs(boxes[a].lower[i] - boxes[b].lower[j]),
                                      Plan::side + Plan::gap);
                        }
                    }
                }
            }
        }
    }
}

TEST(Planted, BoxesOverlapInTheSharedDimensionsAndInNoOthers) {
    Plan plan;
    plan.cluster_dimensions = 8;
    plan.shared = 3;
    plan.shift = 0.25;
    for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
        const std::vector<Box> boxes = draw_boxes(plan);
        for (std::size_t b = 1; b < boxes.size(); ++b) {
            int overlaps = 0;
            for (std::size_t i = 0; i < 8; ++i) {
                for (std::size_t j = 0; j < 8; ++j) {
                    const double apart = boxes[b].lower[i] - boxes[b - 1].lower[j];
                    if (boxes[b].dimensions[i] == boxes[b - 1].dimensions[j] &&
                        std::abs(apart) < Plan::side) {
                        ++overlaps;
                        EXPECT_NEAR(apart, 2.5, 1e-9);
                    }
                }
            }
            EXPECT_EQ(overlaps, 3);
            EXPECT_LE(*std::max_element(boxes[b].upper.begin(), boxes[b].upper.end()), Plan::extent);
        }
    }
}

TEST(Planted, PlansThatCannotBeAreRefused) {
    const auto refused = [](auto change) {
        Plan plan;
        change(plan);
        EXPECT_THROW(draw_boxes(plan), UsageError);
    };
    refused([](Plan& plan) { plan.cluster_dimensions = plan.dimensions + 1; });
    refused([](Plan& plan) { plan.points = 0; });
    refused([](Plan& plan) { plan.dimensions = 0; });
    refused([](Plan& plan) { plan.clusters = 0; });
    refused([](Plan& plan) { plan.cluster_dimensions = 0; });
    refused([](Plan& plan) { plan.shared = plan.cluster_dimensions + 1; });
    refused([](Plan& plan) { plan.shared = -1; });
    refused([](Plan& plan) {
        plan.clusters = 20; // The last begins at 9.5 sides.
        plan.shared = 1;
        plan.shift = 0.5;
    });
    refused([](Plan& plan) {
        plan.clusters = 9; // Boxes of 10 with gaps of 3 in 100: at most 7.
        plan.dimensions = plan.cluster_dimensions = 2;
    });
}

class File : public testing::Test {
  protected:
    File()
        : path(testing::TempDir() + "mafia-" +
               testing::UnitTest::GetInstance()->current_test_info()->name()) {}
    ~File() override { std::remove(path.c_str()); }
    void holds(const std::string& text) const { std::ofstream(path) << text; }
    [[nodiscard]] std::string refusal() const {
        try {
            read_points(path);
        } catch (const UsageError& error) {
            return std::string(error.what()).substr(path.size());
        }
        return "accepted";
    }
    const std::string path;
    const std::string cure = "; every coordinate must be known: leave such points out, or fill them in";
};

TEST_F(File, SurvivesARoundTripToTheBit) {
    Plan plan;
    plan.points = 100;
    const std::vector<Box> boxes = draw_boxes(plan);
    const Points points = draw_points(plan, boxes);
    write_points(path, points, boxes);
    const DataFile read = read_points(path);
    EXPECT_EQ(read.points.coordinates, points.coordinates);
    ASSERT_EQ(read.planted.size(), boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        EXPECT_EQ(read.planted[i].dimensions, boxes[i].dimensions);
        EXPECT_EQ(read.planted[i].lower, boxes[i].lower);
        EXPECT_EQ(read.planted[i].upper, boxes[i].upper);
    }
}

TEST_F(File, WithAHoleIsRefusedWithItsLine) {
    holds("1 2 3\n4,,6\n");
    EXPECT_EQ(refusal(), ":2: 2 numbers, where the first point has 3" + cure);
}

TEST_F(File, WithWhatIsNoFiniteNumberIsRefused) {
    for (const char* const word : {"nan", "inf", "x", "1.5e999", "--1"}) {
        holds(std::string("# a note\n1 2\n3 ") + word + "\n");
        EXPECT_EQ(refusal(), std::string(":3: '") + word + "' is not a finite number" + cure);
    }
}

TEST_F(File, WithoutPointsOrNotThereIsRefused) {
    EXPECT_EQ(refusal().substr(0, 15), " cannot be read");
    holds("# nothing\n\n");
    EXPECT_EQ(refusal().substr(0, 14), " has no points");
}

} // namespace
} // namespace goodsyard::mafia
