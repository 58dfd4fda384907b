#include "resample.hpp"

#include "philox.hpp"
#include "wide.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace steelyard {

namespace {

constexpr std::size_t lanes = resample_lanes;
using Lane = std::array<double, lanes>;

struct Sums {
    alignas(64) Lane x{}, xx{}, y{}, yy{}, xy{};
};

[[gnu::always_inline]] inline std::uint32_t bounded(std::uint32_t word, std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{word} * n) >> 32);
}

// Sums and squares of one resample a lane.
[[gnu::always_inline]] inline void draw_one(std::span<const double> values, std::uint64_t first,
                                            std::uint32_t stream, std::uint64_t seed, Lane& x, Lane& xx) {
    const auto n = static_cast<std::uint32_t>(values.size());
    const double* v = values.data();
    Words<lanes> words;
    for (std::uint32_t at = 0; at < n; at += 4) {
        philox<lanes>(first, at / 4, stream, seed, words);
        const std::uint32_t used = std::min<std::uint32_t>(4, n - at);
        for (std::uint32_t w = 0; w < used; ++w) {
            for (std::size_t l = 0; l < lanes; ++l) {
                const double value = v[bounded(words.word[w][l], n)];
                x[l] += value;
                xx[l] += value * value;
            }
        }
    }
}

[[gnu::always_inline]] inline void draw_pairs(std::span<const double> older, std::span<const double> newer,
                                              std::uint64_t first, std::uint64_t seed, Sums& sums) {
    const auto n = static_cast<std::uint32_t>(older.size());
    const double *p = older.data(), *q = newer.data();
    Words<lanes> words;
    for (std::uint32_t at = 0; at < n; at += 4) {
        philox<lanes>(first, at / 4, 0, seed, words);
        const std::uint32_t used = std::min<std::uint32_t>(4, n - at);
        for (std::uint32_t w = 0; w < used; ++w) {
            for (std::size_t l = 0; l < lanes; ++l) {
                const std::uint32_t i = bounded(words.word[w][l], n);
                const double a = p[i], b = q[i];
                sums.x[l] += a;
                sums.xx[l] += a * a;
                sums.y[l] += b;
                sums.yy[l] += b * b;
                sums.xy[l] += a * b;
            }
        }
    }
}

double mean_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

// Sum of squares around the mean of a resample; what rounding leaves of equal values is none.
double around_mean(double sum, double squares, double n) {
    const double remainder = squares - sum * sum / n;
    return remainder > 1e-13 * squares ? remainder : 0.0;
}

// An estimate that moved without any spread to compare it with is infinitely far away.
double studentised(double moved, double var) {
    if (var > 0) {
        return moved / std::sqrt(var);
    }
    return moved == 0 ? 0.0 : std::copysign(std::numeric_limits<double>::infinity(), moved);
}

} // namespace

STEELYARD_WIDEST void studentise(const Resampling& resampling, std::size_t from, std::size_t to,
                                 std::span<double> t) {
    const bool is_single = resampling.second.empty();
    const double n = static_cast<double>(resampling.first.size()),
                 m = static_cast<double>(resampling.second.size());
    const double first_weight = n * (n - 1), second_weight = m * (m - 1);
    // Of deviations: what rounding left.
    const double mean_x = mean_of(resampling.first), mean_y = is_single ? 0.0 : mean_of(resampling.second);
    for (std::size_t r = from; r < to; r += lanes) {
        Sums sums;
        if (resampling.statistic == Statistic::paired_log_ratio) {
            draw_pairs(resampling.first, resampling.second, r, resampling.seed, sums);
        } else {
            draw_one(resampling.first, r, 0, resampling.seed, sums.x, sums.xx);
            if (!is_single) {
                draw_one(resampling.second, r, 1, resampling.seed, sums.y, sums.yy);
            }
        }
        const std::size_t used = std::min(lanes, to - r);
        for (std::size_t l = 0; l < used; ++l) {
            const double x = sums.x[l] / n, y = is_single ? 0.0 : sums.y[l] / m;
            const double xx = around_mean(sums.x[l], sums.xx[l], n);
            const double yy = is_single ? 0.0 : around_mean(sums.y[l], sums.yy[l], m);
            double moved = 0, var = 0;
            switch (resampling.statistic) {
            case Statistic::mean:
                moved = x - mean_x;
                var = xx / first_weight;
                break;
            case Statistic::difference:
                moved = (x - mean_x) - (y - mean_y);
                var = xx / first_weight + yy / second_weight;
                break;
            case Statistic::log_ratio:
                moved = std::log1p(x) - std::log1p(y);
                var = xx / ((1 + x) * (1 + x) * first_weight) + yy / ((1 + y) * (1 + y) * second_weight);
                break;
            case Statistic::paired_log_ratio: {
                const double both = sums.xy[l] - n * x * y;
                const double remainder =
                    xx / ((1 + x) * (1 + x)) + yy / ((1 + y) * (1 + y)) - 2 * both / ((1 + x) * (1 + y));
                moved = std::log1p(x) - std::log1p(y);
                var = remainder > 1e-13 * (sums.xx[l] + sums.yy[l]) ? remainder / first_weight : 0.0;
                break;
            }
            }
            t[r + l] = studentised(moved, var);
        }
    }
}

STEELYARD_WIDEST void studentise_groups(std::span<const double> values, std::span<const std::int64_t> start,
                                        std::uint64_t seed, std::size_t from, std::size_t to,
                                        std::span<double> t) {
    const auto groups = static_cast<std::uint32_t>(start.size() - 1);
    const double n = groups;
    double mean = 0;
    for (std::uint32_t g = 0; g < groups; ++g) {
        const auto size = static_cast<std::size_t>(start[g + 1] - start[g]);
        mean += mean_of(values.subspan(static_cast<std::size_t>(start[g]), size)) / n;
    }
    Words<lanes> chosen;
    for (std::size_t r = from; r < to; r += lanes) {
        Lane sum{}, squares{};
        for (std::uint32_t g = 0; g < groups; ++g) {
            if (g % 4 == 0) {
                philox<lanes>(r, g / 4, 0, seed, chosen);
            }
            // A stream for each place that a group is drawn into, so that one group drawn twice is drawn from
            // anew.
            for (std::size_t l = 0; l < lanes; ++l) {
                const std::uint32_t group = bounded(chosen.word[g % 4][l], groups);
                const double* v = values.data() + start[group];
                const auto size = static_cast<std::uint32_t>(start[group + 1] - start[group]);
                double total = 0;
                Words<1> words;
                for (std::uint32_t at = 0; at < size; at += 4) {
                    philox<1>(r + l, at / 4, g + 1, seed, words);
                    for (std::uint32_t w = 0; w < std::min<std::uint32_t>(4, size - at); ++w) {
                        total += v[bounded(words.word[w][0], size)];
                    }
                }
                const double value = total / size;
                sum[l] += value;
                squares[l] += value * value;
            }
        }
        for (std::size_t l = 0; l < std::min(lanes, to - r); ++l) {
            t[r + l] = studentised(sum[l] / n - mean, around_mean(sum[l], squares[l], n) / (n * (n - 1)));
        }
    }
}

} // namespace steelyard
