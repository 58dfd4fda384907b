// Studentised bootstrap: for each resample (estimate* - estimate) / se*.
//
// The random numbers are those of Philox-4x32-10 (Salmon, Moraes, Dror, Shaw 2011,
// DOI 10.1145/2063384.2063405) at a counter that names the resample, the draw and the sample, with the seed
// as key. So the result depends on the seed alone: neither on the number of threads nor on how resamples are
// spread over them. A draw x becomes the index floor(x n / 2^32), whose probabilities differ from 1/n by less
// than 2^-32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace steelyard {

enum class Statistic {
    mean,            // of one sample
    difference,      // of the means of two samples drawn independently
    log_ratio,       // of the means of two samples drawn independently, se* by the delta method
    paired_log_ratio // of the means of two samples of the same units
};

struct Resampling {
    Statistic statistic;
    // Deviations from the mean of the sample; for the ratios relative to it. So sums of squares do not
    // cancel.
    std::span<const double> first;
    std::span<const double> second; // empty for one sample
    std::uint64_t seed;
};

// Resamples `from` to `to` (exclusive) into t[from..to).
void studentise(const Resampling& resampling, std::size_t from, std::size_t to, std::span<double> t);

// Groups of values: group g is values[start[g] .. start[g + 1]). Each resample draws as many groups, and of
// each drawn group as many values as it has; (mean* - mean) / se* is over the means of groups.
void studentise_groups(std::span<const double> values, std::span<const std::int64_t> start,
                       std::uint64_t seed, std::size_t from, std::size_t to, std::span<double> t);

// What a chunk of work must be a multiple of, except at the end: so many resamples are drawn side by side.
// GCC 12 unrolls loops over 16 instead of making them wide, which takes 2.7 times as long with 512-bit
// registers.
inline constexpr std::size_t resample_lanes = 32;

} // namespace steelyard
