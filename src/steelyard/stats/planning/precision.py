"""Precision reached so far, the quantity that a stop rule watches; it never watches significance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from steelyard.analysis import Analysis
from steelyard.answers.analysis import Order
from steelyard.answers.comparison import Speedup
from steelyard.answers.flags import EarlyDoubt
from steelyard.answers.undefined import Undefined
from steelyard.arrays import Floats
from steelyard.estimand import Estimand
from steelyard.sample import Sample
from steelyard.stats.compare.contrast import Contrast, contrast
from steelyard.stats.compare.estimate import effects
from steelyard.stats.compare.means import means_of
from steelyard.stats.compare.median_ratio import median_ratio
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.bimodality import gap
from steelyard.stats.distributions.student import t_quantile


class Precision(msgspec.Struct, frozen=True):
    """Relative half-widths of 95 % intervals: of every declared contrast, or of every mean where none is
    declared.

    Attributes
    ----------
    halfwidths : tuple of (float or None)
        (high - low) / 2 over the estimate; ``None`` while the interval is unbounded.
    doubts : tuple of {"bimodal", "autocorrelated"}
        What makes the precision of few blocks doubtful: a sample in two groups, of which further ones may not
        have shown yet; a contrast (or a mean) whose neighbours in time resemble each other.
    """

    halfwidths: tuple[float | None, ...]
    doubts: tuple[EarlyDoubt, ...] = ()

    @property
    def widest(self) -> float | None:
        """The widest of them; ``None`` if one is unbounded or the list is empty."""
        known = [halfwidth for halfwidth in self.halfwidths if halfwidth is not None]
        return max(known) if known and len(known) == len(self.halfwidths) else None

    def reached(self, target: float) -> bool:
        """Whether every half-width is at most ``target``."""
        return self.widest is not None and self.widest <= target


def precision(
    samples: Sequence[Sample], declared: Analysis, *, order: Order = "randomized-blocks"
) -> Precision:
    """The precision of an experiment so far, by its primary metric; samples of others are passed over.

    Raises
    ------
    UsageError
        As ``pair_up``.
    """
    primary = [sample for sample in samples if sample.metric.name == declared.metric]
    values = [np.asarray(sample.values, dtype=np.float64) for sample in primary]
    pairs = pair_up(primary, declared).pairs
    if pairs:
        estimand = declared.estimand
        zeros = estimand == "ratio_of_means"
        contrasts = [contrast(p.baseline, p.treatment, order=order, zeros=zeros) for p in pairs]
        in_time = [
            effects(c, estimand)
            for c in contrasts
            if isinstance(c, Contrast) and c.paired and c.old.by == "block"
        ]
        halfwidths = tuple(contrast_halfwidth(each, estimand) for each in contrasts)
    else:
        in_time = [each for each in values if np.isfinite(each).all()]
        halfwidths = tuple(mean_halfwidth(each) for each in values)
    return Precision(halfwidths, doubts_of(values, in_time))


def doubts_of(values: Sequence[Floats], in_time: Sequence[Floats]) -> tuple[EarlyDoubt, ...]:
    """What is doubtful about few blocks with these samples, and these contrasts in the order of time."""
    found: dict[EarlyDoubt, bool] = {
        "bimodal": any(np.isfinite(each).all() and gap(each) is not None for each in values),
        "autocorrelated": any(
            (r1 := autocorrelation(each)) is not None and r1.significant for each in in_time
        ),
    }
    return tuple(doubt for doubt, up in found.items() if up)


def contrast_halfwidth(contrast: Contrast | Undefined, estimand: Estimand = "geomean_ratio") -> float | None:
    """sinh(t s / sqrt(n_eff)), with t at n_eff - 1 and n_eff from the autocorrelation of block differences;
    for a ratio of means, of what each block adds to it. Of a median the interval of the sign test, wider by
    sqrt(n / n_eff).

    Contexts are drawn independently of each other and in no order, so that n is theirs.
    """
    if isinstance(contrast, Undefined):
        return None
    if estimand == "median_ratio":
        return _median_halfwidth(contrast)
    if contrast.paired:
        return log_halfwidth(effects(contrast, estimand), in_time=contrast.old.by == "block")
    if estimand == "geomean_ratio":
        return _halfwidth([_uncertainty(contrast.old.logs), _uncertainty(contrast.new.logs)], math.sinh)
    means = means_of(contrast)
    return _halfwidth([_uncertainty(means.top), _uncertainty(means.bottom)], math.sinh) if means else None


def _median_halfwidth(contrast: Contrast) -> float | None:
    found = median_ratio(contrast)
    interval = found.interval() if isinstance(found, Speedup) else None
    if interval is None:
        return None
    half = math.log(interval.high / interval.low) / 2
    if contrast.paired and contrast.old.by == "block":
        likeness = autocorrelation(contrast.differences)
        half *= math.sqrt(likeness.n / likeness.n_eff) if likeness is not None else 1.0
    return math.sinh(half) if half < 10 else None


def log_halfwidth(values: Floats, *, in_time: bool) -> float | None:
    """The same of the logarithm of any ratio, one value a unit; ``in_time`` where units follow each other."""
    return _halfwidth([_uncertainty(values, in_time=in_time)], math.sinh)


def mean_halfwidth(values: Floats) -> float | None:
    """T u / mean, with n_eff as above."""
    if values.size == 0 or not np.isfinite(values).all() or values.mean() == 0:
        return None
    return _halfwidth([_uncertainty(values / values.mean())], float)


class _Part(msgspec.Struct, frozen=True):
    """Variance of a mean and its degrees of freedom; ``nu`` is 0 where there are none."""

    variance: float
    nu: float


def _uncertainty(values: Floats, *, in_time: bool = True) -> _Part:
    n = float(values.size)
    correlation = autocorrelation(values) if in_time else None
    if correlation is not None:
        n = correlation.n_eff
    return _Part(float(values.var(ddof=1)) / n, n - 1) if values.size > 1 and n > 1 else _Part(math.inf, 0.0)


def _halfwidth(parts: Sequence[_Part], relative: Callable[[float], float]) -> float | None:
    """Welch-Satterthwaite over the parts; one part keeps its own degrees of freedom."""
    total = sum(part.variance for part in parts)
    if not math.isfinite(total):
        return None
    if total == 0:
        return 0.0
    nu = total**2 / sum(part.variance**2 / part.nu for part in parts)
    half = t_quantile(nu, 0.05) * math.sqrt(total)
    # A relative half-width above e^10 says as little as none.
    return relative(half) if half < 10 else None
