"""The steps from the contrast of two treatments to the ratio that is judged, in their order.

Each takes the estimate that the one before leaves and gives it back. From dependence on, none makes a p-value
smaller or an interval narrower. Why in this order: docs/decisions/comparing/343-the-steps-to-a-verdict.md.
What is judged of several comparisons together, adjustment over a family and verdict, follows in
``comparison``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.results.comparison import Speedup
from steelyard.results.samples import Autocorrelation
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.block_noise import allow_for_blocks
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.contributions import Contribution, add_type_b, bound_error, contributions
from steelyard.stats.compare.estimate import allow_for_units, estimate
from steelyard.stats.compare.lopsided import allow_for_tail
from steelyard.stats.compare.median_ratio import censored_median_ratio
from steelyard.stats.compare.pairing import Pair
from steelyard.stats.describe.dependence import allow_for, widening_by_ranks
from steelyard.stats.hypothesis.rank_location import RankLocation, locate_paired, locate_unpaired
from steelyard.stats.sequential.looks import Looks
from steelyard.stats.sequential.over_looks import correct_for_looks

Stage = Literal["estimate", "type B", "dependence", "blocks", "tail", "looks"]


class Basis(msgspec.Struct, frozen=True):
    """What the steps look at.

    Attributes
    ----------
    likeness : Autocorrelation or None
        The largest one of neighbours in time.
    at_bound : bool
        Whether a statement about a ratio other than 1 is judged.
    """

    pair: Pair
    between: Contrast
    declared: Analysis
    looks: Looks | None
    likeness: Autocorrelation | None
    at_bound: bool = False

    @property
    def errors(self) -> tuple[Contribution, ...]:
        """Stated errors of the primary metric, which repetition does not show."""
        declared = self.declared
        if not declared.type_b or self.pair.treatment.metric.name != declared.metric:
            return ()
        return contributions(self.between, declared.type_b, logs=declared.estimand == "geomean_ratio")


def _estimate(basis: Basis) -> Speedup | Undefined:
    declared, pair = basis.declared, basis.pair
    if any(pair.baseline.censored) or any(pair.treatment.censored):
        late = censored_median_ratio(basis.between, pair.baseline, pair.treatment)
        return allow_for_units(late, basis.between)
    seed, quantile = declared.interval_seed, declared.quantile
    return estimate(basis.between, declared.estimand, declared.interval, seed=seed, quantile=quantile)


def _add_type_b(ratio: Speedup, basis: Basis) -> Speedup | Undefined:
    return add_type_b(ratio, basis.errors)


def _allow_for_dependence(ratio: Speedup, basis: Basis) -> Speedup:
    return allow_for(ratio, basis.likeness, at_bound=basis.at_bound)


def _allow_for_blocks(ratio: Speedup, basis: Basis) -> Speedup:
    # What blocks leave is that of a mean of logarithms, or next to it.
    is_mean = basis.declared.estimand in ("geomean_ratio", "ratio_of_means")
    return allow_for_blocks(ratio, basis.between.noise if is_mean else None)


def _allow_for_tail(ratio: Speedup, basis: Basis) -> Speedup:
    return allow_for_tail(ratio, basis.between, basis.declared.estimand)


def _hold_over_looks(ratio: Speedup, basis: Basis) -> Speedup:
    return ratio if basis.looks is None else correct_for_looks(ratio, basis.looks)


STEPS: Final[tuple[tuple[Stage, Callable[[Speedup, Basis], Speedup | Undefined]], ...]] = (
    ("type B", _add_type_b),
    ("dependence", _allow_for_dependence),
    ("blocks", _allow_for_blocks),
    ("tail", _allow_for_tail),
    ("looks", _hold_over_looks),
)


def walk_steps(basis: Basis) -> dict[Stage, Speedup] | Undefined:
    """Estimate the ratio and take every step; return what each of them leaves."""
    ratio = _estimate(basis)
    if isinstance(ratio, Undefined):
        return ratio
    stages: dict[Stage, Speedup] = {"estimate": ratio}
    for stage, step in STEPS:
        ratio = step(ratio, basis)
        if isinstance(ratio, Undefined):
            return ratio
        stages[stage] = ratio
    return stages


def walk_typical(basis: Basis, in_time: Sequence[Floats]) -> Speedup | None:
    """Estimate the ratio of a typical run, by ranks, and take the steps that ranks need.

    These are type B, dependence and looks; ranks have no tail. ``None`` where the declared estimand is no
    mean, where units are instances, and where a value is 0.

    Parameters
    ----------
    in_time : sequence of array
        Series in the order of time. Their ranks show which neighbours are alike, however far a value lies.
    """
    between = basis.between
    if basis.declared.estimand not in ("geomean_ratio", "ratio_of_means") or between.old.by == "instance":
        return None
    ratio = _locate(between)
    if ratio is None or abs(ratio.log) > LARGEST_LOG:
        return None
    factor = max((widening_by_ranks(values, at_bound=basis.at_bound) for values in in_time), default=1.0)
    ratio = replace(ratio, factor=factor, error=bound_error(basis.errors))
    typical = Speedup(
        log=ratio.log,
        se=0.0,
        nu=None,
        n=sum(ratio.sizes) if ratio.test == "rank-sum" else ratio.sizes[0],
        p=ratio.p_of(1.0),
        unit=between.unit,
        kind=ratio.test,
        distribution=ratio,
    )
    return typical if basis.looks is None else correct_for_looks(typical, basis.looks)


def _locate(between: Contrast) -> RankLocation | None:
    if between.paired:
        logs = between.differences
        return locate_paired(logs) if np.isfinite(logs).all() else None
    # Signed, so that the second sample is the larger one where the treatment is better.
    old, new = (-between.sign * units.logs for units in (between.old, between.new))
    return locate_unpaired(old, new) if np.isfinite(old).all() and np.isfinite(new).all() else None
