"""The screening: which levels look typical and which extreme; nothing is tested here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats

SLOWEST: Final = 3
FASTEST: Final = 2
"""Levels of one kind that are looked at again at most. Two spikes in three passes are needed to push one
level ahead of another, and three levels to hide the slowest."""

TYPICAL: Final = 3
"""Levels that stand for the rest."""


class Picks(msgspec.Struct, frozen=True):
    """Places of levels, by how they look.

    Attributes
    ----------
    typical : tuple of int
        Nearest to the median.
    extreme : tuple of int
        The slowest and the fastest, and further ones that look as if they lay beyond the least effect.
    """

    typical: tuple[int, ...]
    extreme: tuple[int, ...]


def relative(logs: Floats) -> Floats:
    """Rows as the median over passes of their distance from the pass's own median.

    A median over passes does not see one disturbed run of three; passes are compared within themselves, so
    that a machine that warms up moves no row.

    Parameters
    ----------
    logs : array, rows x passes
    """
    medians: Floats = np.median(logs - np.median(logs, axis=0), axis=1)
    return medians


def pick(ratios: Sequence[float], least: float) -> Picks:
    """Levels selected for replication.

    Parameters
    ----------
    ratios : sequence of float
        Of the levels, over the typical one.
    """
    order = sorted(range(len(ratios)), key=lambda place: ratios[place])
    threshold = math.log1p(least)
    logs = [math.log(ratio) for ratio in ratios]
    slow = [place for n, place in enumerate(order[: -SLOWEST - 1 : -1]) if n == 0 or logs[place] > threshold]
    fast = [place for n, place in enumerate(order[:FASTEST]) if n == 0 or logs[place] < -threshold]
    extreme = tuple(dict.fromkeys(slow + fast))
    rest = [place for place in order if place not in extreme] or order
    middle = float(np.median(logs))
    typical = sorted(rest, key=lambda place: abs(logs[place] - middle))[:TYPICAL]
    return Picks(tuple(sorted(typical)), extreme)


def spread(logs: Floats) -> float | None:
    """Return the standard deviation between rows without the noise of single values.

    A two-way layout by the method of moments: s_R^2 = (MS_rows - MS_rest) / passes. ``None`` with fewer than
    two rows or passes.
    """
    rows, passes = logs.shape
    if rows < 2 or passes < 2:
        return None
    centred = logs - logs.mean(axis=0)
    means = centred.mean(axis=1)
    rest = centred - means[:, None]
    between = passes * float(means @ means) / (rows - 1)
    within = float((rest * rest).sum()) / ((rows - 1) * (passes - 1))
    return math.sqrt(max(0.0, (between - within) / passes))


def unseen(population: int, visited: int) -> float:
    """Return the largest share of the levels that could be of a kind of which none was visited.

    The probability of that is at least 5 %: visits are drawn without replacement (hypergeometric).
    """
    missed = 0
    probability = 1.0
    while missed < population - visited:
        # P(none of missed + 1 is visited) = C(N - k, n) / C(N, n), one factor for each further k.
        probability *= (population - visited - missed) / (population - missed)
        if probability < 0.05:
            break
        missed += 1
    return missed / population
