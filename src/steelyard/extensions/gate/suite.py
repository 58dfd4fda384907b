"""``judge``: slower, faster, equivalent or open, for every benchmark of a suite together.

A benchmark has one value of base and one of head a block, times per unit of work, and is judged by the steps
of a comparison (``stats.compare.steps``). Three hypotheses are tested about the mean of their logarithms,
head less base: at most the margin (its end is "slower"), at least minus the margin ("faster"), and outside of
both ("equivalent", Schuirmann 1987, DOI 10.1007/BF01068419). A mean that slow runs of unknown share decide is
not judged. Beside the mean stands the typical run, by ranks and at its part of the level: it makes a
benchmark slower, and keeps one from being equivalent, and does nothing else. None is equivalent before a mode
that carries the mean over the margin would have shown.
Each p counts over all looks (``stats.sequential.looks``) and is the smallest of them: over all looks it is
below a with a probability of at most a, whenever the benchmark stops. So Holm's adjustment over the suite
holds with benchmarks that stop at different looks, and what was decided stays so.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Final, Literal

import msgspec
import numpy as np
from msgspec.structs import astuple, replace

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.special import normal_quantile
from steelyard.core.units import Metric
from steelyard.results.comparison import Comparison, Decider, Speedup
from steelyard.results.interval import Interval
from steelyard.stats.compare.comparison import intervals
from steelyard.stats.compare.judgement import share_of_level
from steelyard.stats.compare.slow_mode import runs_to_trust
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.planning.at_bound import units_at_bound
from steelyard.stats.sequential.looks import Looks

LEAST: Final = 3
"""Blocks of a look."""
POWER: Final = 0.8
"""Probability with which the blocks of an outlook decide."""
MOST_BLOCKS: Final = 1_000_000

TIME: Final = Metric("time", "s", better="lower")
TREATMENTS: Final = tuple(
    Treatment(place, side, {"side": side}) for place, side in ((1, "base"), (2, "head"))
)

Decision = Literal["slower", "faster", "equivalent", "open"]


class SideValues(msgspec.Struct, frozen=True, eq=False):
    """Logarithms of time per unit of work, block by block in the order of time; of both in each block."""

    base: Floats
    head: Floats

    @property
    def differences(self) -> Floats:
        """Head less base; above 0 is worse."""
        return self.head - self.base

    def take(self, blocks: int) -> SideValues:
        """Return the first blocks."""
        return SideValues(self.base[:blocks], self.head[:blocks])


def read_values(base: Sequence[float], head: Sequence[float], *, is_higher_better: bool) -> SideValues:
    """Return values of both sides, above 0, as logarithms of time: of a rate, those of its reciprocal."""
    sign = -1 if is_higher_better else 1
    old, new = (sign * np.log(np.asarray(side, dtype=np.float64)) for side in (base, head))
    return SideValues(old, new)


def compare_sides(values: SideValues, margin: float, looks: Looks | None) -> Comparison:
    """Compare head with base by the steps of a comparison; the speedup is base over head.

    Raises
    ------
    ValueError
        There is no block.
    """
    n = values.base.size
    if not n:
        raise ValueError("no block of both sides")
    ids, ones, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    # Ratios do not change where both are divided by one number; exponentials of large logarithms overflow.
    middle = float(np.median(values.base))
    samples = [
        Sample(TIME, treatment, array("d", np.exp(logs - middle)), ids, ones, none, ids)
        for treatment, logs in zip(TREATMENTS, (values.base, values.head), strict=True)
    ]
    declared = Analysis(metric=TIME.name, margin=margin, baseline=TREATMENTS[0].levels)
    return intervals(samples, declared, metric=TIME.name, looks=looks, beside=True)[0]


class BenchmarkEvidence(msgspec.Struct, frozen=True):
    """Smallest p of each hypothesis over the looks at one benchmark so far.

    Attributes
    ----------
    typical_worse, typical_better : float
        Of the typical run, as the whole level counts them.
    """

    worse: float = 1.0
    better: float = 1.0
    equivalent: float = 1.0
    typical_worse: float = 1.0
    typical_better: float = 1.0


class BenchmarkJudgement(msgspec.Struct, frozen=True):
    """Evidence, adjusted over the suite, the verdict, and whether the mean or the typical run decided."""

    decision: Decision
    adjusted: BenchmarkEvidence
    by: Decider | None = None


def look_again(
    before: BenchmarkEvidence, values: SideValues, looks: Looks, margin: float
) -> BenchmarkEvidence:
    """Evidence after one more look at a benchmark.

    Parameters
    ----------
    values : SideValues
        Of all blocks so far, as many as the last look has.
    margin : float
        Relative, above 0: 0.03 is 3 % slower, or faster by the same factor.
    """
    compared = compare_sides(values, margin, looks)
    now = BenchmarkEvidence()
    if isinstance(compared.speedup, Speedup) and "slow_mode" not in compared.flags:
        now = _weigh_mean(compared.speedup, values.base.size, margin)
    if compared.beside is not None:
        ratio, bound = compared.beside.ratio, math.log1p(margin)
        beyond = share_of_level(ratio.p_of(math.exp(math.copysign(bound, ratio.log))))
        now = replace(
            now,
            typical_worse=beyond if ratio.log < -bound else 1.0,
            typical_better=beyond if ratio.log > bound else 1.0,
        )
    return BenchmarkEvidence(*(min(old, new) for old, new in zip(astuple(before), astuple(now), strict=True)))


def _weigh_mean(ratio: Speedup, blocks: int, margin: float) -> BenchmarkEvidence:
    """Evidence of the mean of one look; a two-sided level is spent, half of it on either side."""
    bound = math.log1p(margin)
    slow, fast = (ratio.p_of(math.exp(end)) for end in (-bound, bound))
    if ratio.log < -bound:
        return BenchmarkEvidence(worse=slow)
    if ratio.log > bound:
        return BenchmarkEvidence(better=fast)
    is_shown = abs(ratio.log) < bound and blocks >= runs_to_trust(bound - max(-ratio.log, 0.0))
    return BenchmarkEvidence(equivalent=max(slow, fast) / 2 if is_shown else 1.0)


def judge(suite: Sequence[BenchmarkEvidence], alpha: float) -> list[BenchmarkJudgement]:
    """Verdicts of a suite: differences are one family, equivalences another, each with its ``alpha``."""
    worse = [min(entry.worse, entry.typical_worse) for entry in suite]
    # What fails for the typical run fails, though the mean be faster.
    is_slower = [
        p <= entry.better or entry.typical_worse <= alpha for p, entry in zip(worse, suite, strict=True)
    ]
    differing = holm(
        [p if slower else entry.better for p, slower, entry in zip(worse, is_slower, suite, strict=True)],
        alpha,
    )
    inside = holm([entry.equivalent for entry in suite], alpha)
    judgements = []
    for evidence, is_worse, differs, equal in zip(suite, is_slower, differing, inside, strict=True):
        decision: Decision = "open"
        by: Decider | None = None
        if differs.rejected:
            decision = "slower" if is_worse else "faster"
            by = "typical" if is_worse and evidence.typical_worse < evidence.worse else "mean"
        elif equal.rejected and evidence.typical_better > alpha:
            decision, by = "equivalent", "mean"
        adjusted = BenchmarkEvidence(
            differs.p_holm if is_worse else 1.0, 1.0 if is_worse else differs.p_holm, equal.p_holm
        )
        judgements.append(BenchmarkJudgement(decision, adjusted, by))
    return judgements


def change_interval(ratio: Speedup, alpha: float = 0.05, *, is_rate: bool = False) -> Interval | None:
    """Return the confidence interval of the relative change of head; ``None`` where it is unbounded.

    A rate changes as the speedup does, a time as its reciprocal.
    """
    bounds = ratio.interval(alpha)
    if bounds is None:
        return None
    return (
        Interval(bounds.low - 1, bounds.high - 1)
        if is_rate
        else Interval(1 / bounds.high - 1, 1 / bounds.low - 1)
    )


def count_blocks_to_show(worse: float, margin: float, blocks: int) -> int | None:
    """Count the blocks that would show a mode which carries a benchmark over the margin.

    ``None`` where there are as many, or it does not lie within.
    """
    bound = math.log1p(margin)
    needed = runs_to_trust(bound - max(worse, 0.0)) if abs(worse) < bound else 0
    return needed if needed > blocks else None


def estimate_blocks(differences: Floats, margin: float, level: float) -> int | None:
    """Estimate the blocks beyond those that there are, after which the verdict is probably decided.

    That is if the mean is what it seems; ``None`` where it seems to lie at the margin, or no number is
    enough.

    Parameters
    ----------
    level : float
        Two-sided, at which the benchmark will be tested.
    """
    n = differences.size
    if n < LEAST:
        return None
    distance = abs(abs(float(differences.mean())) - math.log1p(margin))
    spread = float(differences.std(ddof=1))
    if distance <= 0:
        return None
    reach = -normal_quantile(level / 2) + normal_quantile(POWER)

    def count_blocks(times: float) -> int | None:
        needed = (reach * spread * times / distance) ** 2 + 2
        return None if needed > MOST_BLOCKS else math.ceil(needed)

    needed = units_at_bound(count_blocks)
    if needed is None:
        return None
    mean, bound = float(differences.mean()), math.log1p(margin)
    if abs(mean) < bound:
        needed = max(needed, runs_to_trust(bound - max(mean, 0.0)))
    return None if needed > MOST_BLOCKS else max(1, needed - n)
