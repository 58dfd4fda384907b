// From a rank's own clock to the clock of rank 0, with the error that is stated for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "timing/ping_pong.hpp"
#include "timing/student.hpp"

namespace goodsyard {

/// Variance of an asymmetry over that of its bounds squared where nothing shows it: as if the two ways
/// differed by up to threefold, uniform within half of the bounds.
constexpr double unknown_asymmetry = 1.0 / 12;

/// The same where all within the bounds is equally likely: more is never stated.
constexpr double largest_asymmetry = 1.0 / 3;

/// global = local + offset_s + slope * (local - reference_s); trivially copyable, so that MPI can send it.
///
/// Two errors come from nowhere but the data. Offset and slope have those of their regression. And no
/// repetition narrows what the two ways differ by (a type B uncertainty): it is a share of the bounds that
/// ping-pongs give, and the share is seen where clocks are compared in a circle (clock_closure.hpp). Both add
/// up over the ranks between this one and rank 0 (JCGM 100:2008, 4.3.7 and 5.1.2).
struct ClockModel {
    double reference_s = 0;
    double offset_s = 0;
    double slope = 0;
    double offset_variance_s2 = 0; ///< At `reference_s`, of the regression.
    double slope_variance = 0;
    double covariance_s =
        0;                ///< Of offset and slope: not 0 where the parent's slope was found at another time.
    double bounds_s2 = 0; ///< Squared half widths of the ping-pongs, summed over the links to rank 0.
    double asymmetry = unknown_asymmetry; ///< Variance of what two ways differ by, over `bounds_s2`.

    [[nodiscard]] double global_s(double local_s) const {
        return local_s + offset_s + slope * (local_s - reference_s);
    }

    [[nodiscard]] double local_s(double global_s) const {
        return reference_s + (global_s - reference_s - offset_s) / (1 + slope);
    }

    /// Half the 95 % interval of `global_s(local_s)`.
    [[nodiscard]] double error95_s(double local_s) const {
        return normal_quantile_95 * std::sqrt(variance_s2(local_s) + asymmetry * bounds_s2);
    }

    /// Of the regressions alone.
    [[nodiscard]] double variance_s2(double local_s) const {
        const double distance_s = local_s - reference_s;
        return offset_variance_s2 + distance_s * (2 * covariance_s + slope_variance * distance_s);
    }
};

/// The line through bursts by least squares. A burst that met a delay in all of its exchanges has wide
/// bounds, and is wrong by most of what they are wider than others: the weight falls with the fourth power of
/// the width, so that it adds little to the variance as well.
struct ClockLine {
    double at_s = 0;
    double offset_s = 0;
    double slope = 0;
    double offset_variance_s2 = 0;
    double slope_variance = 0;
    double bounds_s2 = 0; ///< Squared half width: the weighted mean of the bursts'.
};

inline ClockLine fit_line(const std::vector<OffsetBounds>& bursts) {
    if (bursts.empty()) {
        throw std::invalid_argument("a clock model needs a burst");
    }
    double tightest_s = bursts.front().half_width_s;
    for (const OffsetBounds& burst : bursts) {
        tightest_s = std::min(tightest_s, burst.half_width_s);
    }
    // Bounds of no width at all are those of a simulation.
    const double least_s = std::max(tightest_s, 1e-12);
    const auto weight = [&](const OffsetBounds& burst) {
        const double ratio = least_s / std::max(least_s, burst.half_width_s);
        return ratio * ratio * ratio * ratio;
    };
    ClockLine line;
    double weights = 0;
    double squares_of_weights = 0;
    for (const OffsetBounds& burst : bursts) {
        const double w = weight(burst);
        weights += w;
        squares_of_weights += w * w;
        line.at_s += w * burst.at_s;
        line.offset_s += w * burst.offset_s;
        line.bounds_s2 += w * burst.half_width_s * burst.half_width_s;
    }
    line.at_s /= weights;
    line.offset_s /= weights;
    line.bounds_s2 /= weights;
    double sxx = 0;
    double sxy = 0;
    for (const OffsetBounds& burst : bursts) {
        const double distance_s = burst.at_s - line.at_s;
        sxx += weight(burst) * distance_s * distance_s;
        sxy += weight(burst) * distance_s * (burst.offset_s - line.offset_s);
    }
    if (bursts.size() < 3 || sxx <= 0) {
        return line;
    }
    line.slope = sxy / sxx;
    double squares = 0;
    for (const OffsetBounds& burst : bursts) {
        const double residual_s = burst.offset_s - line.offset_s - line.slope * (burst.at_s - line.at_s);
        squares += weight(burst) * residual_s * residual_s;
    }
    // As many bursts as weigh something, so that one good burst among bad ones claims no more than it can.
    const double effective = weights * weights / squares_of_weights;
    const double unit_s2 =
        squares / (static_cast<double>(bursts.size()) - 2) * student_inflation(effective - 2);
    line.offset_variance_s2 = unit_s2 / weights;
    line.slope_variance = unit_s2 / sxx;
    return line;
}

/// The model of a child from bursts with a parent that answered by its own global clock.
///
/// One burst gives an offset only (slope 0). `parent` is the model that the parent has: its errors are the
/// child's too.
inline ClockModel fit_clock(const std::vector<OffsetBounds>& bursts, const ClockModel& parent) {
    const ClockLine line = fit_line(bursts);
    // What the parent does not know, at the time at which the child asked.
    const double asked_s = parent.local_s(line.at_s + line.offset_s);
    ClockModel model;
    model.reference_s = line.at_s;
    model.offset_s = line.offset_s;
    model.slope = line.slope;
    model.offset_variance_s2 = parent.variance_s2(asked_s) + line.offset_variance_s2;
    model.slope_variance = parent.slope_variance + line.slope_variance;
    model.covariance_s = parent.covariance_s + parent.slope_variance * (asked_s - parent.reference_s);
    model.bounds_s2 = parent.bounds_s2 + line.bounds_s2;
    model.asymmetry = parent.asymmetry;
    return model;
}

} // namespace goodsyard
