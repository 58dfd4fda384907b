"""Change points: where an algorithm switches, each stretch has a model of its own.

Every stretch of at least three points has an evidence of its own; a forward sum over all ways to cut the
range gives the probability that there is a switch at all, a forward maximum the best cuts. A switch is
believed by evidence, not by how much closer the fit becomes: more stretches always fit closer. The last
stretch speaks for large x. Of fewer than five points it has but the terms that algorithms have, and predicts
values, not ranks.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.scaling.aggregate import Aggregated
from steelyard.extensions.growth.scaling.candidates import Candidates, one_parameter
from steelyard.extensions.growth.scaling.posterior import Posterior, search
from steelyard.extensions.growth.scaling.spaces import SearchSpace, make_short_space

LEAST_POINTS: Final = 3
"""Of a stretch: two coefficients, and one point that can disagree."""
LEAST_RANKED: Final = 5
"""Of the last stretch, where ranks rest on it."""
SWITCH_PRIOR: Final = 0.1
"""Prior probability that the range has one more switch."""
LOG_SIZE_RANGE: Final = math.log(6.0)
"""ln of the range (in e-folds) that the size of a stretch may have, given its neighbours."""


class Stretch(msgspec.Struct, frozen=True):
    """Points ``start`` to ``end`` (exclusive), and the posterior of the functions there."""

    start: int
    end: int
    data: Aggregated
    posterior: Posterior

    @property
    def count(self) -> int:
        """Points."""
        return self.end - self.start


class Segmentation(msgspec.Struct, frozen=True):
    """The best cuts of one function and the probability that it switches at all."""

    probability: float
    cuts: tuple[tuple[int, int], ...]


def part(data: Aggregated, rows: np.ndarray, start: int, end: int) -> Aggregated:
    """Return some functions at some points."""
    return Aggregated(
        data.value[rows, start:end],
        data.u2[rows, start:end],
        data.law[rows],
        data.freedom[rows],
        tuple(data.aggregate[int(r)] for r in rows),
        data.one_sided[rows],
    )


class Segmenter:
    """Fits every stretch of one grid once for all functions that need it."""

    def __init__(self, grid: Floats, space: SearchSpace) -> None:
        self.grid = grid
        m = len(grid)
        # A stretch starts at 0 or after another; it ends at the last point or leaves enough for a last
        # stretch.
        self.ranges = [
            (i, j)
            for i in (0, *range(LEAST_POINTS, m - LEAST_POINTS + 1))
            for j in (*range(i + LEAST_POINTS, m - LEAST_POINTS + 1), m)
        ]
        self.candidates: dict[tuple[int, int], Candidates] = {
            (i, j): one_parameter(
                grid[i:j], make_short_space() if j == m and j - i < LEAST_RANKED else space, plain=True
            )
            for i, j in self.ranges
        }

    def fit(self, data: Aggregated, rows: np.ndarray, threads: int) -> dict[tuple[int, int], Stretch]:
        """All stretches of the functions ``rows``."""
        out = {}
        for start, end in self.ranges:
            piece = part(data, rows, start, end)
            posterior = search(
                self.candidates[start, end], piece.value, piece.u2, piece.law, piece.freedom, threads
            )
            out[start, end] = Stretch(start, end, piece, posterior)
        return out

    def segment(self, stretches: dict[tuple[int, int], Stretch], row: int) -> Segmentation:
        """Cut one function (its number among the rows fitted)."""
        m = len(self.grid)
        log = {
            r: float(s.posterior.log_evidence[row])
            - (r[1] - r[0]) * math.log(max(float(np.abs(s.data.value[row]).max()), 1e-300))
            - (LOG_SIZE_RANGE if r[1] - r[0] < m else 0.0)
            for r, s in stretches.items()
        }
        unsplit = log[0, m]
        step = math.log(SWITCH_PRIOR / m)
        total = [-math.inf] * (m + 1)
        best = [-math.inf] * (m + 1)
        back = [0] * (m + 1)
        for start, end in sorted(self.ranges, key=lambda pair: (pair[1], pair[0])):
            if (start and not math.isfinite(best[start])) or not math.isfinite(log[start, end]):
                continue
            before_total, before_best = (
                (0.0, 0.0) if start == 0 else (total[start] + step, best[start] + step)
            )
            total[end] = float(np.logaddexp(total[end], before_total + log[start, end]))
            if before_best + log[start, end] > best[end]:
                best[end], back[end] = before_best + log[start, end], start
        switched = _log_minus(total[m], unsplit)
        probability = math.exp(switched - total[m]) if math.isfinite(switched) else 0.0
        # The best way to cut, given that there is a cut.
        cuts: list[tuple[int, int]] = []
        end = m
        if back[m] == 0:
            options = [s for s, e in self.ranges if s and e == m and math.isfinite(best[s] + log[s, m])]
            if not options:
                return Segmentation(0.0, ((0, m),))
            start = max(options, key=lambda s: best[s] + step + log[s, m])
            cuts.append((start, m))
            end = start
        while end > 0:
            cuts.append((back[end], end))
            end = back[end]
        return Segmentation(probability, tuple(reversed(cuts)))


def _log_minus(total: float, subtracted: float) -> float:
    """ln(e^total - e^subtracted)."""
    return (
        total + math.log1p(-math.exp(min(subtracted - total, 0.0)))
        if subtracted < total - 1e-12
        else -math.inf
    )
