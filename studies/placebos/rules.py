"""What the rules of four papers say of arms that are one thing."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Final, NamedTuple

import ranking

from steelyard.api.scaling import Method

SCALES: Final = (32, 64, 128, 256, 512)
"""Processes of the published measurements of MPI: five points."""


class Rules(NamedTuple):
    """Of the arms of one program.

    Attributes
    ----------
    span : float
        Largest mean over the smallest, less 1: "up to so many percent" over contexts (Mytkowicz et al.).
    faster : float
        The first arm's mean of five runs over the second's, less 1, without a sign: what would be called a
        speedup (Firoz et al.: five runs of each algorithm).
    best, again : float
        What the best arm gains on the mean of all, by the first half of its runs, which chose it, and by the
        second, which did not (the best of a search; Grappa's draft).
    growth, posterior : str
        The leading term of medians of five arms that stand for 32 to 512 processes, by the paper's method
        and by the posterior (Shudler et al.).
    """

    span: float
    faster: float
    best: float
    again: float
    growth: str
    posterior: str


def judge_arms(arms: Sequence[Sequence[float]]) -> Rules:
    """Apply all rules."""
    means = [statistics.fmean(arm) for arm in arms]
    first, second = (statistics.fmean(arm[:5]) for arm in arms[:2])
    early = [statistics.fmean(arm[: len(arm) // 2]) for arm in arms]
    late = [statistics.fmean(arm[len(arm) // 2 :]) for arm in arms]
    best = early.index(min(early))
    return Rules(
        span=max(means) / min(means) - 1,
        faster=max(first, second) / min(first, second) - 1,
        best=statistics.fmean(early) / early[best] - 1,
        again=statistics.fmean(late) / late[best] - 1,
        growth=_grow(arms, "seed001"),
        posterior=_grow(arms, "posterior"),
    )


def _grow(arms: Sequence[Sequence[float]], method: Method) -> str:
    points = {float(p): statistics.median(arm) for p, arm in zip(SCALES, arms, strict=False)}
    return ranking.model_points(points, "1", parameter="p", method=method, space="default").growth()
