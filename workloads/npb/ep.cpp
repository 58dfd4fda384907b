// EP, "embarrassingly parallel" [1, section 2.2.1]: pairs of Gaussian deviates by Marsaglia's polar method.
//
// With (x, y) uniform in (-1, 1)^2 and t = x^2 + y^2 <= 1, X = x sqrt(-2 log t / t) and Y = y sqrt(-2 log t /
// t) are independent N(0, 1) [2]. Of 2^m pairs the sums of X and of Y, and the counts of l <= max(|X|, |Y|) <
// l + 1, are what is computed. It measures floating-point speed alone: nothing is communicated but these
// twelve numbers.
//
// Encoding: pairs are cut into batches whose first number is found by skipping. A batch is made in two loops,
// so that neither waits for the other: the first draws numbers and keeps those inside of the circle, without
// a branch (21 % are rejected at random, which no predictor learns); the second takes logarithms and square
// roots.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
// [2] D. E. Knuth, The Art of Computer Programming 2, 3rd ed., section 3.4.1, algorithm P.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "npb/kernel.hpp"
#include "npb/random.hpp"

namespace goodsyard::npb {
namespace {

struct Size {
    int log2_pairs;
    double sum_x, sum_y; ///< Official.
};

constexpr Size size_of(ProblemClass size) {
    switch (size) {
    case ProblemClass::S:
        return {24, -3.247834652034740e3, -6.958407078382297e3};
    case ProblemClass::W:
        return {25, -2.863319731645753e3, -6.320053679109499e3};
    case ProblemClass::A:
        return {28, -4.295875165629892e3, -1.580732573678431e4};
    case ProblemClass::B:
        return {30, 4.033815542441498e4, -2.660669192809235e4};
    }
    return {};
}

constexpr std::uint64_t ep_seed = 271828183;
constexpr int rings = 10;
constexpr std::int64_t batch_pairs = 1024; ///< Its buffers stay in the first-level cache.

/// Points of a batch that lie in the unit circle, and their squared distances from its centre.
struct Accepted {
    std::array<double, batch_pairs> x, y, t;
    int count = 0;
};

/// Sums over any set of pairs.
struct Sums {
    double x = 0, y = 0;
    std::int64_t accepted = 0;
    std::array<std::int64_t, rings> ring{};
};

void draw(std::int64_t batch, Accepted& points) {
    Random random(ep_seed, 2 * static_cast<std::uint64_t>(batch * batch_pairs));
    int count = 0;
    for (std::int64_t i = 0; i < batch_pairs; ++i) {
        const double x = 2 * random() - 1;
        const double y = 2 * random() - 1;
        const double t = x * x + y * y;
        const auto at = static_cast<std::size_t>(count);
        points.x[at] = x;
        points.y[at] = y;
        points.t[at] = t;
        count += t <= 1;
    }
    points.count = count;
}

void add_deviates(const Accepted& points, Sums& sums) {
    sums.accepted += points.count;
    for (std::size_t i = 0; i < static_cast<std::size_t>(points.count); ++i) {
        const double scale = std::sqrt(-2 * std::log(points.t[i]) / points.t[i]);
        const double x = points.x[i] * scale;
        const double y = points.y[i] * scale;
        sums.x += x;
        sums.y += y;
        ++sums.ring[static_cast<std::size_t>(std::max(std::fabs(x), std::fabs(y)))];
    }
}

class Ep : public Kernel {
  public:
    explicit Ep(ProblemClass size) : size_(size_of(size)) {}

    void prepare() override {}

    void solve() override {
        const std::int64_t batches = (std::int64_t{1} << size_.log2_pairs) / batch_pairs;
        total_ = {};
#pragma omp parallel
        {
            Accepted points;
            Sums local;
#pragma omp for schedule(static) nowait
            for (std::int64_t batch = 0; batch < batches; ++batch) {
                draw(batch, points);
                add_deviates(points, local);
            }
#pragma omp critical
            {
                total_.x += local.x;
                total_.y += local.y;
                total_.accepted += local.accepted;
                for (std::size_t l = 0; l < rings; ++l) {
                    total_.ring[l] += local.ring[l];
                }
            }
        }
    }

    std::vector<Check> verify() override {
        const auto counted = std::accumulate(total_.ring.begin(), total_.ring.end(), std::int64_t{0});
        return {{"sum of X", total_.x, size_.sum_x, 1e-8},
                {"sum of Y", total_.y, size_.sum_y, 1e-8},
                {"pairs in rings", static_cast<double>(counted), static_cast<double>(total_.accepted), 0}};
    }

    [[nodiscard]] double operations() const override { return std::ldexp(2, size_.log2_pairs); }

  private:
    Size size_;
    Sums total_;
};

} // namespace

std::unique_ptr<Kernel> make_ep(ProblemClass size) {
    return std::make_unique<Ep>(size);
}

} // namespace goodsyard::npb
