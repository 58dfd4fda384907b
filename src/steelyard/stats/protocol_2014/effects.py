"""Effect sizes of a pair, independent of the test that it took."""

from __future__ import annotations

import msgspec

from steelyard.stats.compare.adjusted_speedup import AdjustedSpeedup, adjusted_speedup, cv
from steelyard.stats.compare.contrast import Contrast, contrast
from steelyard.stats.hypothesis.brunner_munzel import Superiority, superiority
from steelyard.stats.hypothesis.hodges_lehmann import Shift, shift
from steelyard.stats.protocol_2014.profile import Profile


class Effects(msgspec.Struct, frozen=True):
    """Three answers to three questions.

    Attributes
    ----------
    ratio_of_means : AdjustedSpeedup or None
        Above 1 where the treatment is better; ``None`` where a value is not positive, or there is one only.
    shift : Shift or None
        Hodges and Lehmann's, treatment minus baseline, in the metric's unit.
    above : Superiority or None
        How often a launch of the treatment has the larger value.
    """

    ratio_of_means: AdjustedSpeedup | None
    shift: Shift | None
    above: Superiority | None


def effects(baseline: Profile, treatment: Profile) -> Effects:
    """Compute effect sizes of two usable samples."""
    between = contrast(baseline.sample, treatment.sample, order="sequential")
    means = (
        adjusted_speedup(between, cv(between.old.raws), cv(between.new.raws))
        if isinstance(between, Contrast)
        else None
    )
    return Effects(
        ratio_of_means=means,
        shift=shift(baseline.ascending, treatment.ascending),
        above=superiority(baseline.ascending, treatment.ascending),
    )
