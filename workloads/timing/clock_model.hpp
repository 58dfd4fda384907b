// From a rank's own clock to the clock of rank 0, with the error that is stated for it.
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "timing/ping_pong.hpp"

namespace workloads {

/// global = local + offset_s + slope * (local - reference_s); trivially copyable, so that MPI can send it.
///
/// Two errors come from nowhere but the data: the offset is known to within the bounds of its ping-pongs,
/// which no repetition narrows when the two ways differ (a type B uncertainty, uniform within the bounds),
/// and the slope has the error of its regression, which grows with the distance from `reference_s`. Both add
/// up over the ranks between this one and rank 0 (JCGM 100:2008, 4.3.7 and 5.1.2).
struct ClockModel {
    double reference_s = 0;
    double offset_s = 0;
    double slope = 0;
    double offset_variance_s2 = 0; ///< At `reference_s`.
    double slope_variance = 0;
    double covariance_s =
        0; ///< Of offset and slope: not 0 where the parent's slope was found at another time.

    [[nodiscard]] double global_s(double local_s) const {
        return local_s + offset_s + slope * (local_s - reference_s);
    }

    [[nodiscard]] double local_s(double global_s) const {
        return reference_s + (global_s - reference_s - offset_s) / (1 + slope);
    }

    /// Half the 95 % interval of `global_s(local_s)`.
    [[nodiscard]] double error95_s(double local_s) const { return 1.96 * std::sqrt(variance_s2(local_s)); }

    [[nodiscard]] double variance_s2(double local_s) const {
        const double distance_s = local_s - reference_s;
        return offset_variance_s2 + distance_s * (2 * covariance_s + slope_variance * distance_s);
    }
};

/// The model of a child from bursts with a parent that answered by its own global clock.
///
/// One burst gives an offset only (slope 0); several give a line through their offsets by least squares.
/// `parent` is the model that the parent has: its errors are the child's too.
inline ClockModel fit_clock(const std::vector<OffsetBounds>& bursts, const ClockModel& parent) {
    if (bursts.empty()) {
        throw std::invalid_argument("a clock model needs a burst");
    }
    const auto count = static_cast<double>(bursts.size());
    double mean_at_s = 0;
    double mean_offset_s = 0;
    double half_width_s = 0;
    for (const OffsetBounds& burst : bursts) {
        mean_at_s += burst.at_s / count;
        mean_offset_s += burst.offset_s / count;
        half_width_s += burst.half_width_s / count;
    }
    ClockModel model;
    model.reference_s = mean_at_s;
    model.offset_s = mean_offset_s;
    // What the parent does not know, at the time at which the child asked.
    const double asked_s = parent.local_s(mean_at_s + mean_offset_s);
    model.offset_variance_s2 = parent.variance_s2(asked_s) + half_width_s * half_width_s / 3;
    model.slope_variance = parent.slope_variance;
    model.covariance_s = parent.covariance_s + parent.slope_variance * (asked_s - parent.reference_s);
    if (bursts.size() < 3) {
        return model;
    }
    double sxx = 0;
    double sxy = 0;
    for (const OffsetBounds& burst : bursts) {
        sxx += (burst.at_s - mean_at_s) * (burst.at_s - mean_at_s);
        sxy += (burst.at_s - mean_at_s) * (burst.offset_s - mean_offset_s);
    }
    if (sxx <= 0) {
        return model;
    }
    model.slope = sxy / sxx;
    double squares = 0;
    for (const OffsetBounds& burst : bursts) {
        const double residual_s = burst.offset_s - mean_offset_s - model.slope * (burst.at_s - mean_at_s);
        squares += residual_s * residual_s;
    }
    const double variance_s2 = squares / (count - 2);
    model.offset_variance_s2 += variance_s2 / count;
    model.slope_variance += variance_s2 / sxx;
    return model;
}

} // namespace workloads
