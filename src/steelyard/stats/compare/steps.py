"""The steps from the contrast of two treatments to the ratio that is judged, in their order.

Each takes the estimate that the one before leaves and gives it back. From dependence on, none makes a p-value
smaller or an interval narrower; docs/decisions/comparing/343 says why in this order. What is judged of
several comparisons together, adjustment over a family and verdict, follows in ``comparison``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.results.comparison import Speedup
from steelyard.results.samples import Autocorrelation
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.contributions import Contribution, add_type_b, contributions
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.compare.lopsided import allow_for_tail
from steelyard.stats.compare.median_ratio import censored_median_ratio
from steelyard.stats.compare.pairing import Pair
from steelyard.stats.describe.dependence import allow_for
from steelyard.stats.sequential.looks import Looks
from steelyard.stats.sequential.over_looks import correct_for_looks

Stage = Literal["estimate", "type B", "dependence", "tail", "looks"]


class Basis(msgspec.Struct, frozen=True):
    """What the steps look at.

    Attributes
    ----------
    likeness : Autocorrelation or None
        The largest one of neighbours in time.
    """

    pair: Pair
    between: Contrast
    declared: Analysis
    looks: Looks | None
    likeness: Autocorrelation | None

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
        return censored_median_ratio(basis.between, pair.baseline, pair.treatment)
    seed, quantile = declared.interval_seed, declared.quantile
    return estimate(basis.between, declared.estimand, declared.interval, seed=seed, quantile=quantile)


def _add_type_b(ratio: Speedup, basis: Basis) -> Speedup | Undefined:
    return add_type_b(ratio, basis.errors)


def _allow_for_dependence(ratio: Speedup, basis: Basis) -> Speedup:
    return allow_for(ratio, basis.likeness)


def _allow_for_tail(ratio: Speedup, basis: Basis) -> Speedup:
    """To be equal within a margin is a claim that a long tail can refute, however many looks there are."""
    if basis.looks is None and basis.declared.margin is None:
        return ratio
    return allow_for_tail(ratio, basis.between, basis.declared.estimand)


def _hold_over_looks(ratio: Speedup, basis: Basis) -> Speedup:
    return ratio if basis.looks is None else correct_for_looks(ratio, basis.looks)


STEPS: Final[tuple[tuple[Stage, Callable[[Speedup, Basis], Speedup | Undefined]], ...]] = (
    ("type B", _add_type_b),
    ("dependence", _allow_for_dependence),
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
