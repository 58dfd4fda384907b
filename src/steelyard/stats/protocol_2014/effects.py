"""Effect sizes of a pair, independent of the test that it took."""

from __future__ import annotations

from steelyard.answers.protocol import Above, ProtocolEffects
from steelyard.stats.compare.adjusted_speedup import adjusted_speedup, cv
from steelyard.stats.compare.contrast import Contrast, contrast
from steelyard.stats.hypothesis.brunner_munzel import superiority
from steelyard.stats.hypothesis.hodges_lehmann import shift
from steelyard.stats.protocol_2014.profile import Profile


def effects(baseline: Profile, treatment: Profile) -> ProtocolEffects:
    """Of two usable samples."""
    between = contrast(baseline.sample, treatment.sample, order="sequential")
    means = (
        adjusted_speedup(between, cv(between.old.raws), cv(between.new.raws))
        if isinstance(between, Contrast)
        else None
    )
    above = superiority(baseline.ascending, treatment.ascending)
    tested = above.tested() if above else None
    return ProtocolEffects(
        ratio_of_means=means,
        shift=shift(baseline.ascending, treatment.ascending),
        above=Above(above.value, above.interval(), tested.p if tested else None) if above else None,
    )
