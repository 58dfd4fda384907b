// The synchronisation against clocks whose truth is known: offsets to 100 ms, drifts to 50 ppm, and networks
// that are quiet, whose two ways differ, or whose ranks share CPUs. What runs here is what runs between
// ranks; only the exchange is made up.

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "timing/clock_closure.hpp"
#include "timing/clock_model.hpp"
#include "timing/clock_tree.hpp"
#include "timing/ping_pong.hpp"

namespace goodsyard {
namespace {

struct Drifting {
    double offset_s;
    double drift;
    [[nodiscard]] double read(double true_s) const { return true_s * (1 + drift) + offset_s; }
};

/// A way takes 1 us, longer or shorter by up to `asymmetry` of that, and what is drawn for each message.
struct Network {
    const char* name;
    double asymmetry;
    double there_s; ///< Mean jitter towards the parent.
    double back_s;
    double delayed = 0; ///< Share of messages whose receiver has no CPU.
    double delay_s = 0; ///< Mean time until it has.
};

constexpr Network quiet{"quiet", 0.05, 30e-9, 30e-9};
/// Base latencies differ by up to a factor of three, mean jitters by a factor of ten.
constexpr Network skewed{"skewed", 0.5, 2e-6, 0.2e-6};
constexpr Network crowded{"crowded", 0.05, 0.5e-6, 0.5e-6, 0.85, 300e-6};

class Machine {
  public:
    Machine(const Network& network, int ranks, unsigned seed) : network_(network), random_(seed) {
        std::uniform_real_distribution<double> offset(-0.1, 0.1);
        std::uniform_real_distribution<double> drift(-50e-6, 50e-6);
        for (int rank = 0; rank < ranks; ++rank) {
            clocks_.push_back({offset(random_), drift(random_)});
        }
    }

    [[nodiscard]] const Drifting& clock(int rank) const { return clocks_[static_cast<std::size_t>(rank)]; }

    Exchange exchange(const ClockPair& pair, const ClockModel& of_parent) {
        const double skew = skew_of(pair);
        Exchange one;
        one.sent_s = clock(pair.child).read(now_s_);
        now_s_ += base_s * (1 + skew) + waits(network_.there_s);
        one.answered_s = of_parent.global_s(clock(pair.parent).read(now_s_));
        now_s_ += base_s * (1 - skew) + waits(network_.back_s);
        one.received_s = clock(pair.child).read(now_s_);
        return one;
    }

    void wait(double duration_s) { now_s_ += duration_s; }
    void go_to(double true_s) { now_s_ = true_s; }
    [[nodiscard]] double now_s() const { return now_s_; }

  private:
    static constexpr double base_s = 1e-6;

    double drawn(double mean_s) { return std::exponential_distribution<double>(1 / mean_s)(random_); }

    double waits(double jitter_s) {
        const bool late = std::bernoulli_distribution(network_.delayed)(random_);
        return drawn(jitter_s) + (late ? drawn(network_.delay_s) : 0.0);
    }

    double skew_of(const ClockPair& pair) {
        const auto [found, fresh] = skews_.try_emplace({pair.parent, pair.child}, 0.0);
        if (fresh) {
            found->second =
                std::uniform_real_distribution<double>(-network_.asymmetry, network_.asymmetry)(random_);
        }
        return found->second;
    }

    const Network& network_;
    std::mt19937_64 random_;
    std::vector<Drifting> clocks_;
    std::map<std::pair<int, int>, double> skews_;
    double now_s_ = 1.0;
};

OffsetBounds burst(Machine& machine, const ClockPair& pair, const ClockModel& of_parent, int effort = 1) {
    return bound_offset(effort * 20, [&] { return machine.exchange(pair, of_parent); });
}

double find_asymmetry(Machine& machine, int ranks, const std::vector<ClockModel>& models,
                      const std::vector<double>& links_s2) {
    const std::vector<int> parents = clock_parents(ranks);
    std::vector<Closure> closures;
    for (const ClockPair& pair : closing_pairs(ranks)) {
        const ClockModel& of_other = models[static_cast<std::size_t>(pair.parent)];
        const OffsetBounds result = burst(machine, pair, of_other, closing_effort);
        const ClockModel& local = models[static_cast<std::size_t>(pair.child)];
        closures.push_back(
            {result.at_s + result.offset_s - local.global_s(result.at_s),
             result.half_width_s * result.half_width_s + path_s2(pair.parent, pair.child, parents, links_s2),
             local.variance_s2(result.at_s) +
                 of_other.variance_s2(of_other.local_s(local.global_s(result.at_s)))});
    }
    return asymmetry_of(closures);
}

/// All models; the pairs of a round work at the same time.
std::vector<ClockModel> synchronise(Machine& machine, int ranks, int bursts) {
    std::vector<ClockModel> models(static_cast<std::size_t>(ranks));
    std::vector<double> links_s2(static_cast<std::size_t>(ranks));
    for (const auto& round : clock_rounds(ranks)) {
        const double begin_s = machine.now_s();
        double end_s = begin_s;
        for (const ClockPair& pair : round) {
            machine.go_to(begin_s);
            const ClockModel& of_parent = models[static_cast<std::size_t>(pair.parent)];
            std::vector<OffsetBounds> result;
            for (int i = 0; i < bursts; ++i) {
                result.push_back(burst(machine, pair, of_parent));
                machine.wait(0.002);
            }
            const auto child = static_cast<std::size_t>(pair.child);
            models[child] = fit_clock(result, of_parent);
            links_s2[child] = models[child].bounds_s2 - of_parent.bounds_s2;
            end_s = std::max(end_s, machine.now_s());
        }
        machine.go_to(end_s);
    }
    const double asymmetry = find_asymmetry(machine, ranks, models, links_s2);
    for (ClockModel& model : models) {
        model.asymmetry = asymmetry;
    }
    return models;
}

/// How far rank 0's clock, as `rank` knows it, is from rank 0's clock, over what is stated for it.
double relative_error(const Machine& machine, const std::vector<ClockModel>& models, int rank,
                      double true_s) {
    const ClockModel& model = models[static_cast<std::size_t>(rank)];
    const double local_s = machine.clock(rank).read(true_s);
    const double error_s = model.global_s(local_s) - machine.clock(0).read(true_s);
    return std::abs(error_s) / model.error95_s(local_s);
}

constexpr int cases = 400;

class SyntheticClocks : public testing::TestWithParam<std::tuple<Network, int>> {};

TEST_P(SyntheticClocks, AreCoveredByTheStated95PercentAheadOfTheirLastLookAtEachOther) {
    const auto& [network, ranks] = GetParam();
    for (const double ahead_s : {0.1, 1.0, 5.0}) {
        int covered = 0;
        for (unsigned seed = 0; seed < cases; ++seed) {
            Machine machine(network, ranks, 1000 * static_cast<unsigned>(ranks) + seed);
            const auto models = synchronise(machine, ranks, 12);
            // One rank a case: errors of ranks below one parent are not independent.
            const int rank = 1 + static_cast<int>(seed) % (ranks - 1);
            covered += relative_error(machine, models, rank, machine.now_s() + ahead_s) <= 1;
        }
        RecordProperty("covered_" + std::to_string(static_cast<int>(ahead_s * 1000)) + "_ms", covered);
        EXPECT_GE(covered, cases * 90 / 100) << ahead_s << " s ahead";
        // Two ranks have no circle, and three a single one: what is stated of their ways is a guess, or wide.
        // A method that covers 99 % has 399 of 400 or more in one of eleven.
        if (ranks > 3) {
            EXPECT_LE(covered, 398) << ahead_s << " s ahead";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Networks, SyntheticClocks,
                         testing::Combine(testing::Values(quiet, skewed, crowded),
                                          testing::Values(2, 3, 4, 8, 16)),
                         [](const auto& values_of) {
                             return std::string(std::get<0>(values_of.param).name) + "_" +
                                    std::to_string(std::get<1>(values_of.param));
                         });

TEST(SyntheticClocks, OfAQuietNetworkAreStatedToFractionsOfTheirBounds) {
    for (const int ranks : {4, 8, 16}) {
        double stated_s = 0;
        double bounds_s = 0;
        for (unsigned seed = 0; seed < 50; ++seed) {
            Machine machine(quiet, ranks, seed);
            const auto models = synchronise(machine, ranks, 12);
            const ClockModel& last = models.back();
            stated_s += last.error95_s(machine.clock(ranks - 1).read(machine.now_s()));
            bounds_s += std::sqrt(last.bounds_s2);
        }
        EXPECT_LT(stated_s, 0.45 * bounds_s) << ranks << " ranks";
    }
}

TEST(SyntheticClocks, AreNotFollowedByOffsetsAlone) {
    int followed = 0;
    for (unsigned seed = 0; seed < cases; ++seed) {
        Machine machine(skewed, 2, seed);
        const auto models = synchronise(machine, 2, 1);
        followed += relative_error(machine, models, 1, machine.now_s() + 1.0) <= 1;
    }
    // Drifts of up to 100 ppm between two clocks make up to 100 us in a second, and some 2 us are stated.
    EXPECT_LT(followed, cases / 2);
}

TEST(SyntheticClocks, OfABurstWithDelaysWeighLittle) {
    const std::vector<OffsetBounds> bursts = {
        {0.0, 1e-6, 1e-6}, {0.002, 1e-6, 1e-6}, {0.004, 400e-6, 500e-6}, {0.006, 1e-6, 1e-6}};
    const ClockLine line = fit_line(bursts);
    EXPECT_NEAR(line.offset_s, 1e-6, 1e-9);
    EXPECT_NEAR(line.slope, 0, 1e-6);
}

TEST(ClockClosure, PairsAreNoLinksOfTheTreeAndDisjoint) {
    for (const int ranks : {2, 3, 4, 5, 8, 31, 33, 64, 100}) {
        const std::vector<int> parents = clock_parents(ranks);
        std::vector<int> used;
        for (const ClockPair& pair : closing_pairs(ranks)) {
            EXPECT_NE(parents[static_cast<std::size_t>(pair.child)], pair.parent);
            EXPECT_NE(parents[static_cast<std::size_t>(pair.parent)], pair.child);
            used.insert(used.end(), {pair.parent, pair.child});
        }
        std::sort(used.begin(), used.end());
        EXPECT_EQ(std::unique(used.begin(), used.end()), used.end());
        EXPECT_EQ(used.size(), static_cast<std::size_t>((ranks - 1) / 2 * 2));
    }
}

TEST(ClockClosure, PathsEndWhereBothLearnt) {
    // Of 8 ranks, 5 and 6 learnt from 4, and 4 from 0; rank 3 from 2, and 2 from 0.
    const std::vector<int> parents = clock_parents(8);
    const std::vector<double> links = {0, 1, 2, 4, 8, 16, 32, 64};
    EXPECT_EQ(path_s2(5, 6, parents, links), 48);
    EXPECT_EQ(path_s2(3, 4, parents, links), 14);
    EXPECT_EQ(path_s2(0, 0, parents, links), 0);
}

TEST(Student, QuantilesAreThoseOfTables) {
    // R 4.3: qt(0.975, c(1, 2, 3, 5, 10, 30))
    EXPECT_NEAR(student_quantile_95(1), 12.706205, 1e-6);
    EXPECT_NEAR(student_quantile_95(2), 4.302653, 1e-6);
    EXPECT_NEAR(student_quantile_95(3), 3.182446, 5e-3);
    EXPECT_NEAR(student_quantile_95(5), 2.570582, 5e-4);
    EXPECT_NEAR(student_quantile_95(10), 2.228139, 5e-5);
    EXPECT_NEAR(student_quantile_95(30), 2.042272, 5e-6);
}

TEST(SyntheticClocks, OfOneRankAreItsOwn) {
    EXPECT_EQ(ClockModel{}.global_s(12.5), 12.5);
    EXPECT_EQ(ClockModel{}.local_s(12.5), 12.5);
    EXPECT_EQ(ClockModel{}.error95_s(12.5), 0.0);
}

TEST(SyntheticClocks, GlobalAndLocalAreInverse) {
    ClockModel model;
    model.reference_s = 10.0;
    model.offset_s = 0.05;
    model.slope = 3e-5;
    EXPECT_NEAR(model.local_s(model.global_s(17.0)), 17.0, 1e-12);
}

} // namespace
} // namespace goodsyard
