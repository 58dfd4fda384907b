"""Slow runs that one of two treatments has: what a mean of few runs cannot tell apart from a difference."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.core.estimand import Estimand
from steelyard.core.sample import Sample
from steelyard.results.comparison import SlowMode
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.describe.outliers import FENCE, SMALL_SAMPLE
from steelyard.stats.describe.quartiles import quartiles
from steelyard.stats.distributions.absence import runs_to_show
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson

FEWEST: Final = 2
"""Slow runs of one treatment, with none of the other, that are told whatever they decide: a single one is
told where its kind could turn a verdict round, and is an outlier elsewhere."""
ENOUGH: Final = 10
"""Slow runs from which on their share is known well enough for a mean."""

MEANS: Final[frozenset[Estimand]] = frozenset(["geomean_ratio", "ratio_of_means"])
"""What a few slow runs move, as they move no median."""
LARGEST_TIMES: Final = 2.0
"""Slow runs that have not shown are taken to last so many times as long, as for a limit of a mean (213)."""


def runs_to_trust(distance: float, estimand: Estimand = "geomean_ratio") -> int:
    """Return the runs from which on a mode that carries a mean over a bound would have shown.

    The bound is ``distance`` away from the mean of the runs that showed, above 0, as a logarithm. Slow runs
    that last ``LARGEST_TIMES`` as long carry the mean over it where they are frequent enough.
    """
    if estimand == "ratio_of_means":
        return runs_to_show(math.expm1(distance) / (LARGEST_TIMES - 1))
    return runs_to_show(distance / math.log(LARGEST_TIMES))


def slow_mode(between: Contrast, old: Sample, new: Sample) -> SlowMode | None:
    """Return the slow runs of one treatment, where it has one to nine and the other has none.

    A run is slow beyond Tukey's outer fence (Tukey 1977) of the logarithms of the treatment with the wider
    quartiles, about its median, as far out as ``outliers`` wants it.
    """
    logs = [_logs(sample) for sample in (old, new)]
    slow = find_slow_runs(*logs, sign=between.sign)
    if slow is None:
        return None
    counts = [int(row.sum()) for row in slow]
    at = counts.index(max(counts))
    share = clopper_pearson(counts[at], logs[at].size)
    rest = [float(np.median(row[~is_slow])) for row, is_slow in zip(logs, slow, strict=True)]
    times = abs(float(np.median(logs[at][slow[at]])) - rest[at])
    within = between.sign * (rest[0] - rest[1])
    # Slow runs of the baseline speak for the treatment.
    ends = [math.exp(within + (1 - 2 * at) * value * times) for value in (share.low, share.high)]
    return SlowMode(
        treatment=(old, new)[at].treatment,
        runs=counts[at],
        n=logs[at].size,
        share95=share,
        times=math.exp(times),
        within=math.exp(within),
        lowest=min(ends),
        highest=max(ends),
    )


def find_slow_runs(
    old: Floats, new: Floats, *, sign: int = 1
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]] | None:
    """Return which runs are slow, by their logarithms; ``None`` unless one has one to nine, the other none.

    ``sign`` is -1 where more is better.
    """
    logs = (old, new)
    if min(log.size for log in logs) < 5 or not all(np.isfinite(log).all() for log in logs):
        return None
    # Slow is larger where less is better.
    centred = [sign * (log - np.median(log)) for log in logs]
    first, _, third = max((quartiles(row) for row in centred), key=lambda group: group[2] - group[0])
    fence = third + FENCE * (1 + SMALL_SAMPLE / min(row.size for row in centred)) * (third - first)
    is_slow, is_slow_too = (row > fence for row in centred)
    counts = (int(is_slow.sum()), int(is_slow_too.sum()))
    if third == first or min(counts) or not 1 <= max(counts) < ENOUGH:
        return None
    return is_slow, is_slow_too


def _logs(sample: Sample) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(np.asarray(sample.values, dtype=np.float64)), dtype=np.float64)
