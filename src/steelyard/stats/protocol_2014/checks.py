"""The tests of assumptions that a pair goes through before a test is chosen. All are kept, also those that
did not matter.
"""

from __future__ import annotations

import msgspec

from steelyard.stats.hypothesis.f_test import VarianceRatio, variance_ratio
from steelyard.stats.hypothesis.kolmogorov_smirnov import KolmogorovSmirnov, kolmogorov_smirnov, same_shape
from steelyard.stats.hypothesis.shapiro_wilk import Normality
from steelyard.stats.protocol_2014.profile import Profile


class Checks(msgspec.Struct, frozen=True):
    """Assumptions that were checked.

    Attributes
    ----------
    raw, centred : KolmogorovSmirnov
        ``raw`` tests the very difference that is looked for, and decides nothing; ``centred`` compares shapes
        about the medians.
    """

    normality_baseline: Normality | None
    normality_treatment: Normality | None
    variances: VarianceRatio | None
    raw: KolmogorovSmirnov | None
    centred: KolmogorovSmirnov | None

    def normal(self, alpha: float) -> bool:
        """Whether Shapiro and Wilk reject neither sample."""
        both = (self.normality_baseline, self.normality_treatment)
        return all(each is not None and each.p > alpha for each in both)

    def equal_variances(self, alpha: float) -> bool:
        """Whether F does not reject."""
        return self.variances is not None and self.variances.p > alpha

    def equal_shapes(self, alpha: float) -> bool:
        """Whether Kolmogorov and Smirnov do not reject once both are centred."""
        return self.centred is None or self.centred.p > alpha


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
