"""A ratio of two ratios by draws: of its four means, or of the values behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.arrays import Floats
from steelyard.stats.compare.ratio_of_means import DRAWS
from steelyard.stats.distributions.bootstrap_t import RESAMPLES
from steelyard.stats.rounding import ROUNDING

_SIGNS: Final = (1.0, -1.0, -1.0, 1.0)
"""(first / second) / (third / fourth), on the scale of logarithms."""
_AT_ONCE: Final = 1 << 21
"""Values drawn at a time: 16 MB."""


def drawn_ratios(rows: Sequence[Floats], *, paired: bool, seed: int, draws: int = DRAWS) -> Floats:
    """The ratio of means drawn as mean + u t_{n-1}, over its estimate; paired from the multivariate t with
    their correlations (JCGM 101:2008, 6.4.9).

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
    found = []
    for at_once in _portions(resamples, n):
        drawn = table[:, rng.integers(n, size=(at_once, n))]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = drawn.mean(axis=2)
            moved = np.tensordot(_SIGNS, np.log(means), axes=1)
            effects = np.tensordot(_SIGNS, drawn / means[:, :, None], axes=1)
        found.append(_over(moved, effects.std(axis=1, ddof=1) / np.sqrt(n)))
    return np.sort(np.concatenate(found))


def studentised_samples(
    rows: Sequence[Floats], *, logs: bool, seed: int, resamples: int = RESAMPLES
) -> Floats:
    """The same where nothing pairs them, and each of the four is drawn for itself.

    Parameters
    ----------
    logs : bool
        The rows are logarithms; else values over their mean.
    """
    rng = np.random.Generator(np.random.Philox(seed))
    moved, variance = np.zeros(resamples), np.zeros(resamples)
    for sign, row in zip(_SIGNS, rows, strict=True):
        n, first = row.size, 0
        for at_once in _portions(resamples, n):
            drawn = row[rng.integers(n, size=(at_once, n))]
            here = slice(first, first + at_once)
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = drawn.mean(axis=1)
                moved[here] += sign * (mean - row.mean() if logs else np.log(mean))
                variance[here] += (drawn.std(axis=1, ddof=1) / (1.0 if logs else mean)) ** 2 / n
            first += at_once
    return np.sort(_over(moved, np.sqrt(variance)))


def _portions(resamples: int, n: int) -> list[int]:
    most = max(1, _AT_ONCE // n)
    return [min(most, resamples - first) for first in range(0, resamples, most)]


def _over(moved: Floats, error: Floats) -> Floats:
    """Studentised; an estimate that moved without any spread to compare it with is infinitely far away."""
    still = np.abs(moved) <= ROUNDING
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > ROUNDING, moved / error, np.copysign(np.inf, moved))
    t = np.where(still & ~(error > ROUNDING), 0.0, t)
    # Means of 0 on both sides leave no estimate: that resample is beyond every bound.
    return np.where(np.isnan(t), np.inf, t)
