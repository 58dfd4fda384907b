"""The tests of assumptions that a pair goes through before a test is chosen. All are kept, also those that
did not matter.
"""

from __future__ import annotations

from steelyard.answers.protocol import Checks
from steelyard.stats.hypothesis.f_test import variance_ratio
from steelyard.stats.hypothesis.kolmogorov_smirnov import kolmogorov_smirnov, same_shape
from steelyard.stats.protocol_2014.profile import Profile


def check(baseline: Profile, treatment: Profile) -> Checks:
    """Every check of two usable samples."""
    old, new = baseline.moments, treatment.moments
    # Rounding of the mean leaves equal values a variance.
    varied = not (baseline.constant or treatment.constant)
    return Checks(
        normality_baseline=baseline.normality,
        normality_treatment=treatment.normality,
        variances=variance_ratio(old.variance, old.n, new.variance, new.n)
        if old and new and varied
        else None,
        raw=kolmogorov_smirnov(baseline.ascending, treatment.ascending),
        centred=same_shape(baseline.ascending, treatment.ascending),
    )
