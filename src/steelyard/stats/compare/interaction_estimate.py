"""The ratio of two speedups as a ``Speedup``.

It is by the estimand, the interval and the stated errors of its parts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.analysis import TypeB
from steelyard.core.arrays import Floats
from steelyard.core.estimand import Estimand, IntervalKind
from steelyard.results.comparison import Distribution, Speedup
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.bootstrap_t import RESAMPLES
from steelyard.stats.compare.contrast import Contrast, Units, restrict
from steelyard.stats.compare.contributions import add_type_b, contributions_of_ratio
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.compare.means import Means, means_of
from steelyard.stats.compare.ratio_of_means import DRAWS
from steelyard.stats.compare.speedup import make_by_t, make_of_equal_units
from steelyard.stats.distributions.monte_carlo import MonteCarlo, Studentised
from steelyard.stats.rounding import ROUNDING, steady
from steelyard.stats.uncertainty.propagation import effective_freedom

_SIGNS: Final = (1.0, -1.0, -1.0, 1.0)
"""(first / second) / (third / fourth), on the scale of logarithms."""
_AT_ONCE: Final = 1 << 21
"""Values drawn at a time: 16 MB."""


def drawn_ratios(rows: Sequence[Floats], *, paired: bool, seed: int, draws: int = DRAWS) -> Floats:
    """Return the ratio of means drawn as mean + u t_{n-1}, over its estimate.

    Paired means are drawn from the multivariate t with their correlations (JCGM 101:2008, 6.4.9).

    Parameters
    ----------
    rows : four arrays
        Values over their mean.
    """
    rng = np.random.Generator(np.random.Philox(seed))
    n = rows[0].size
    means: Sequence[Floats]
    if paired:
        directions, sizes, _ = np.linalg.svd(np.array(rows) - 1, full_matrices=False)
        scale = np.sqrt((n - 1) / rng.chisquare(n - 1, draws) / (n * (n - 1)))
        means = list(1 + (directions * sizes) @ rng.standard_normal((sizes.size, draws)) * scale)
    else:
        means = [
            1 + float(row.std(ddof=1)) / np.sqrt(row.size) * rng.standard_t(row.size - 1, draws)
            for row in rows
        ]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.asarray(means[0] / means[1] / (means[2] / means[3]))
    # 0 over 0 says as little of a ratio as one below 0, which keeps an interval from existing.
    return np.sort(np.where(np.isnan(ratios), -np.inf, ratios))


def studentised_paired(rows: Sequence[Floats], *, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Ascending (log R* - log R) / se* where units are drawn, and all four values of a unit together."""
    rng = np.random.Generator(np.random.Philox(seed))
    table = np.array(rows)
    n = table.shape[1]
    studentised = []
    for at_once in _compute_portions(resamples, n):
        drawn = table[:, rng.integers(n, size=(at_once, n))]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = drawn.mean(axis=2)
            moved = np.tensordot(_SIGNS, np.log(means), axes=1)
            effects = np.tensordot(_SIGNS, drawn / means[:, :, None], axes=1)
        studentised.append(_divide(moved, effects.std(axis=1, ddof=1) / np.sqrt(n)))
    return np.sort(np.concatenate(studentised))


def studentised_samples(
    rows: Sequence[Floats], *, logs: bool, seed: int, resamples: int = RESAMPLES
) -> Floats:
    """Return the same where nothing pairs them, and each of the four is drawn for itself.

    Parameters
    ----------
    logs : bool
        The rows are logarithms; else values over their mean.
    """
    rng = np.random.Generator(np.random.Philox(seed))
    moved, variance = np.zeros(resamples), np.zeros(resamples)
    for sign, row in zip(_SIGNS, rows, strict=True):
        n, first = row.size, 0
        for at_once in _compute_portions(resamples, n):
            drawn = row[rng.integers(n, size=(at_once, n))]
            chunk = slice(first, first + at_once)
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = drawn.mean(axis=1)
                moved[chunk] += sign * (mean - row.mean() if logs else np.log(mean))
                variance[chunk] += (drawn.std(axis=1, ddof=1) / (1.0 if logs else mean)) ** 2 / n
            first += at_once
    return np.sort(_divide(moved, np.sqrt(variance)))


def _compute_portions(resamples: int, n: int) -> list[int]:
    most = max(1, _AT_ONCE // n)
    return [min(most, resamples - first) for first in range(0, resamples, most)]


def _divide(moved: Floats, error: Floats) -> Floats:
    """Studentised; an estimate that moved without any spread to compare it with is infinitely far away."""
    still = np.abs(moved) <= ROUNDING
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > ROUNDING, moved / error, np.copysign(np.inf, moved))
    t = np.where(still & ~(error > ROUNDING), 0.0, t)
    # Means of 0 on both sides leave no estimate: that resample is beyond every bound.
    return np.where(np.isnan(t), np.inf, t)


_BY_T: Final[dict[Estimand, IntervalKind]] = {"geomean_ratio": "log-delta"}
"""What is asked of parts whose variances add; the default of the other estimands is that already."""


def ratio_of_speedups(
    numerator: Contrast,
    denominator: Contrast,
    estimand: Estimand = "geomean_ratio",
    interval: IntervalKind | None = None,
    *,
    type_b: Sequence[TypeB] = (),
    seed: int = 1,
) -> Speedup | Undefined:
    """S_numerator / S_denominator.

    Where both were measured in the same blocks, each block has its own ratio, and what the block did to all
    four cancels; else the variances of both logarithms add.

    By the kind of interval of its parts, but for Fieller's, which has no form for four means: log-delta
    stands in its place, and ``method`` says so. Errors that repetition does not show are those of all four.
    """
    contrast, second = numerator, denominator
    if contrast.paired and second.paired and contrast.old.by == second.old.by:
        common = np.intersect1d(contrast.old.ids, second.old.ids)
        if common.size == 0:
            return Undefined("no_common_block")
        contrast, second = restrict(contrast, common), restrict(second, common)
        distribution = (
            _compare_means(contrast, second, interval, seed)
            if estimand == "ratio_of_means"
            else estimate(_estimate_by_units(contrast, second), estimand, interval, seed=seed)
        )
    else:
        distribution = _make_independent(contrast, second, estimand, interval, seed)
    if isinstance(distribution, Undefined) or not type_b:
        return distribution
    parts = contributions_of_ratio(contrast, second, type_b, logs=estimand == "geomean_ratio")
    return add_type_b(distribution, parts)


def _estimate_by_units(contrast: Contrast, second: Contrast) -> Contrast:
    """Return the difference of both logarithms, unit by unit, against none."""
    logs = steady(contrast.differences - second.differences, max(contrast.rounding, second.rounding))
    return Contrast(
        _make_units(contrast.old, logs),
        _make_units(contrast.old, np.zeros_like(logs)),
        1,
        blocks=contrast.blocks,
    )


def _make_units(units: Units, logs: Floats) -> Units:
    return replace(units, logs=logs)


def _compare_means(
    contrast: Contrast, second: Contrast, interval: IntervalKind | None, seed: int
) -> Speedup | Undefined:
    """U of log S_1 - log S_2 from the differences of both effects, unit by unit."""
    if contrast.old.ids.size < 2:
        return Undefined(contrast.too_few)
    a, b = means_of(contrast), means_of(second)
    if a is None or b is None:
        return Undefined("out_of_range")
    n = a.top.size
    log = math.log(a.value) - math.log(b.value)
    u = float((a.effects - b.effects).std(ddof=1)) / math.sqrt(n)
    if u <= ROUNDING:
        return make_of_equal_units(
            0.0 if abs(log) <= ROUNDING else log, contrast.unit, (n,), estimand="ratio_of_means"
        )
    # A mean that one value dominates tells nothing of its logarithm, whichever of the four it is.
    zero = max(a.p_of_zero, b.p_of_zero)
    distribution = _make_distribution_of_means(a, b, log, u, interval, seed)
    if distribution is None:
        return make_by_t(
            log, u, n - 1, n, contrast.unit, "means-log-delta", estimand="ratio_of_means", least_p=zero
        )
    kind = f"means-{interval}"
    return Speedup(
        log, u, n - 1, n, distribution.p_of(1.0), contrast.unit, kind, distribution, "ratio_of_means", zero
    )


def _make_distribution_of_means(
    a: Means, b: Means, log: float, u: float, interval: IntervalKind | None, seed: int
) -> Distribution | None:
    rows = (a.top, a.bottom, b.top, b.bottom)
    if interval == "gum-s1":
        return MonteCarlo(math.exp(log) * drawn_ratios(rows, paired=a.paired, seed=seed))
    if interval == "bootstrap-t" and a.paired:
        return Studentised(log, u, studentised_paired(rows, seed=seed))
    if interval == "bootstrap-t":
        return Studentised(log, u, studentised_samples(rows, logs=False, seed=seed))
    return None


def _make_independent(
    contrast: Contrast, divisor: Contrast, estimand: Estimand, interval: IntervalKind | None, seed: int
) -> Speedup | Undefined:
    parts = [estimate(side, estimand, _BY_T.get(estimand)) for side in (contrast, divisor)]
    for part in parts:
        if isinstance(part, Undefined):
            return part
    first, second = (part for part in parts if isinstance(part, Speedup))
    u = math.hypot(first.se, second.se)
    if u == 0 or first.nu is None or second.nu is None:
        return Undefined("no_spread")
    nu = effective_freedom((first.se, second.se), (first.nu, second.nu)) or first.nu + second.nu
    log, n, zero = first.log - second.log, first.n + second.n, max(first.least_p, second.least_p)
    distribution = _make_distribution_of_launches(contrast, divisor, estimand, interval, (log, u), seed)
    if distribution is None:
        return make_by_t(log, u, nu, n, first.unit, first.kind, estimand=estimand, least_p=zero)
    kind = f"{'means' if estimand == 'ratio_of_means' else 'log-ratio'}-{interval}"
    return Speedup(log, u, nu, n, distribution.p_of(1.0), "unpaired", kind, distribution, estimand, zero)


def _make_distribution_of_launches(
    contrast: Contrast,
    second: Contrast,
    estimand: Estimand,
    interval: IntervalKind | None,
    estimates: tuple[float, float],
    seed: int,
) -> Distribution | None:
    """Draw four samples that nothing pairs; ``estimates`` has the estimate and its standard error."""
    if contrast.paired or second.paired:
        return None
    if estimand == "geomean_ratio" and interval == "bootstrap-t":
        rows = [units.logs for side in (contrast, second) for units in (side.old, side.new)[:: side.sign]]
        return Studentised(*estimates, studentised_samples(rows, logs=True, seed=seed))
    a, b = means_of(contrast), means_of(second)
    if estimand != "ratio_of_means" or a is None or b is None:
        return None
    return _make_distribution_of_means(a, b, *estimates, interval, seed)
