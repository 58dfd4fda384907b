"""Precision reached so far, the quantity that a stop rule watches; it never watches significance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.results.analysis import Order
from steelyard.results.comparison import Comparison
from steelyard.results.flags import EarlyDoubt
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.comparison import intervals
from steelyard.stats.compare.crossed import cross_instances
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.bimodality import gap
from steelyard.stats.describe.instances import pool
from steelyard.stats.describe.sample_mean import SampleMean
from steelyard.stats.describe.skewness import skewness
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.rounding import constant
from steelyard.stats.sequential.looks import Looks

LARGEST: Final = 10.0
"""Half-width, of a logarithm or of the estimate, from which it says as little as none."""


class Precision(msgspec.Struct, frozen=True):
    """Relative half-widths of the 95 % intervals that the answer shows.

    They are of every declared comparison, or of every mean where none is declared.

    Attributes
    ----------
    halfwidths : tuple of (float or None)
        (high - low) / 2 over the estimate; ``None`` while the interval is unbounded.
    doubts : tuple of {"bimodal", "autocorrelated"}
        What makes the precision of few blocks doubtful: a sample in two groups, of which further ones may not
        have shown yet; a comparison (or a mean) whose neighbours in time resemble each other.
    floor : float
        About the widest half-width that more blocks would leave, since they bring no further instances.
    """

    halfwidths: tuple[float | None, ...]
    doubts: tuple[EarlyDoubt, ...] = ()
    floor: float = 0.0

    @property
    def widest(self) -> float | None:
        """The widest of them; ``None`` if one is unbounded or the list is empty."""
        values = [halfwidth for halfwidth in self.halfwidths if halfwidth is not None]
        return max(values) if values and len(values) == len(self.halfwidths) else None

    def reached(self, target: float) -> bool:
        """Whether every half-width is at most ``target``."""
        return self.widest is not None and self.widest <= target


def precision(
    samples: Sequence[Sample],
    declared: Analysis,
    *,
    order: Order = "randomized-blocks",
    looks: Looks | None = None,
) -> Precision:
    """Return the precision of an experiment so far, by its primary metric.

    Samples of others are passed over. With ``looks``, it is that of intervals that hold over them.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    """
    if declared.instances is not None:
        samples = pool(samples, declared.instances)
    primary = [sample for sample in samples if sample.metric.name == declared.metric]
    values = [np.asarray(sample.values, dtype=np.float64) for sample in primary]
    at_bound = declared.margin is not None  # The interval that is shown, and no narrower one.
    compared = intervals(
        primary, declared, metric=declared.metric, order=order, looks=looks, at_bound=at_bound
    )
    if not compared:
        finite = [value for value in values if np.isfinite(value).all()]
        return Precision(tuple(mean_halfwidth(value) for value in values), doubts_of(values, finite))
    doubts: dict[EarlyDoubt, bool] = {
        "bimodal": _is_bimodal(values),
        "autocorrelated": any("autocorrelated" in comparison.flags for comparison in compared),
    }
    widths = tuple(halfwidth_of(comparison) for comparison in compared)
    floor = 0.0
    if declared.instances is not None:
        pairs = pair_up(primary, declared).pairs
        between = (cross_instances(pair.baseline, pair.treatment) for pair in pairs)
        remaining = (
            width * part.share_left
            for width, part in zip(widths, between, strict=True)
            if width is not None and part
        )
        floor = max(remaining, default=0.0)
    return Precision(widths, tuple(doubt for doubt, up in doubts.items() if up), floor)


def halfwidth_of(comparison: Comparison) -> float | None:
    """Half the width of the interval that is shown, over the estimate; ``None`` without either."""
    ratio, interval = comparison.speedup, comparison.ci95
    if isinstance(ratio, Undefined) or interval is None:
        return None
    return (interval.high - interval.low) / 2 / ratio.value


def doubts_of(values: Sequence[Floats], in_time: Sequence[Floats]) -> tuple[EarlyDoubt, ...]:
    """Return doubts about few blocks with these samples, and with contrasts in the order of time."""
    doubts: dict[EarlyDoubt, bool] = {
        "bimodal": _is_bimodal(values),
        "autocorrelated": any((r1 := autocorrelation(row)) is not None and r1.significant for row in in_time),
    }
    return tuple(doubt for doubt, up in doubts.items() if up)


def _is_bimodal(values: Sequence[Floats]) -> bool:
    return any(np.isfinite(value).all() and gap(value) is not None for value in values)


def log_halfwidth(values: Floats, *, in_time: bool) -> float | None:
    """Half-width of a ratio with one value a unit: sinh(t s / sqrt(n_eff)), with t at n_eff - 1.

    Here s is of the logarithm; n_eff is n unless units follow each other (``in_time``) and significantly
    resemble their neighbours.
    """
    part = _measure_uncertainty(values, in_time=in_time)
    if not math.isfinite(part.variance):
        return None
    half = t_quantile(part.nu, 0.05) * math.sqrt(part.variance)
    return math.sinh(half) if half < LARGEST else None


def mean_halfwidth(values: Floats) -> float | None:
    """Half the width of the interval of the mean over the mean, of runs like those that were seen."""
    if values.size < 2 or not np.isfinite(values).all() or values.mean() == 0:
        return None
    if constant(values):
        return 0.0
    relative = values / values.mean()
    mean = SampleMean(
        1.0,
        float(relative.std(ddof=1)),
        values.size,
        values.size,
        correlation=autocorrelation(relative),
        skewness=skewness(relative),
    )
    interval = mean.observed_interval()
    half = (interval.high - interval.low) / 2
    return half if half < LARGEST else None


class _Part(msgspec.Struct, frozen=True):
    """Variance of a mean and its degrees of freedom; ``nu`` is 0 where there are none."""

    variance: float
    nu: float


def _measure_uncertainty(values: Floats, *, in_time: bool) -> _Part:
    n = float(values.size)
    correlation = autocorrelation(values) if in_time else None
    if correlation is not None and correlation.significant:
        n = correlation.n_eff
    return _Part(float(values.var(ddof=1)) / n, n - 1) if values.size > 1 and n > 1 else _Part(math.inf, 0.0)
