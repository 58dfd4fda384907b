"""The lasting changes of one series, each with its place, size and p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.extensions.history.noise import FAR, HIGHEST, SeriesNoise, clip, correct, neighbourhood, noise
from steelyard.extensions.history.place import Step, locate
from steelyard.extensions.history.scan import Scan, Sums
from steelyard.extensions.history.stable import Stable, stable

FEWEST: Final = 6
"""Records of a series: of fewer, no step could exceed what stable ones show."""
EXACT: Final = 1e-6
"""Least noise, in the unit of the series; logarithms of counts that never change have none."""


class Examined(msgspec.Struct, frozen=True):
    """A series made ready for the search: without outliers, weighted, with its noise.

    Attributes
    ----------
    series, weights : array
        Records without what is far off, and what each counts, 1 on average.
    sd, phi, long_run : float
        As ``noise`` has them.
    least : float
        What the noise is at least, as the records know it.
    outliers : tuple of int
        Records far from their neighbourhood.
    largest : float
        The largest step anywhere, over the noise.
    null : Stable
        What a stable series shows.
    """

    series: Floats
    weights: Floats
    sums: Sums
    scan: Scan
    sd: float
    phi: float
    long_run: float
    least: float
    outliers: tuple[int, ...]
    null: Stable

    @property
    def p(self) -> float:
        """Probability that a stable series shows a larger step."""
        return self.null.p(float(self.scan.sizes.max()) / self.long_run)

    @property
    def nu(self) -> float:
        """Degrees of freedom of the noise: trimmed differences know it half as well as deviations would."""
        n = self.sums.weights.size - 1
        return max(2.0, 0.5 * n * (1 - self.phi) / (1 + self.phi))


def examine(series: Floats, u: Floats) -> Examined:
    """Look at a series of at least ``FEWEST`` records.

    Parameters
    ----------
    series : array
        In the order of the history.
    u : array
        What each record knows of its own uncertainty, 0 where it knows nothing.
    """
    u_known = float(np.sqrt(np.mean(u**2)))
    least = max(u_known, EXACT)
    series_noise = noise(series, least)
    sd, phi = float(series_noise.sd), float(series_noise.phi)
    # What records scatter beyond their own uncertainty they share; one of few runs counts less.
    shared = max(sd**2 - u_known**2, 0.01 * sd**2)
    weights = 1 / (shared + u**2)
    weights /= weights.mean()
    near = clip(series, series_noise.sd)
    sums = Sums.make(near, weights)
    far = np.abs(series - neighbourhood(series)) > FAR * sd
    return Examined(
        series=near,
        weights=weights,
        sums=sums,
        scan=Scan.make(sums),
        sd=sd,
        phi=phi,
        long_run=float(series_noise.long_run),
        least=least,
        outliers=tuple(np.flatnonzero(far).tolist()),
        null=stable(series.size, phi),
    )


class Steps(msgspec.Struct, frozen=True):
    """The steps of a series, and the series with the noise that they were judged by.

    Attributes
    ----------
    examined : Examined
        With the noise around the levels, where steps were found.
    located : tuple of Step
        In order, at least ``LEAST_SIDE`` records apart and from both ends.
    """

    examined: Examined
    located: tuple[Step, ...] = ()

    def p(self, step: Step) -> float:
        """Probability that a stable series shows a larger step than this one, between its neighbours."""
        return self.examined.null.p(abs(step.t))


def search(examined: Examined, alpha: float) -> Steps:
    """Find the steps, each with a p of at most ``alpha``.

    There are none where the whole series is stable at that level.
    """
    steps = Steps(examined, _locate(examined, alpha))
    while steps.located:
        # What lies between them shows the noise better than differences across them.
        refined = _refine(steps)
        again = Steps(refined, _locate(refined, alpha))
        if len(again.located) <= len(steps.located):
            return again if again.located else steps
        steps = again
    return steps


def _refine(steps: Steps) -> Examined:
    """Refine by the noise around the levels, where that is less than the noise of differences."""
    examined = steps.examined
    rest = examined.series - levels(steps)
    n, count = rest.size, len(steps.located) + 1
    sd = math.sqrt(float(examined.weights @ rest**2) / max(n - count, 1))
    r1 = np.asarray(rest[1:] @ rest[:-1] / max(float(rest @ rest), EXACT**2))
    among = min(max(float(correct(r1, count / n)), 0.0), HIGHEST)
    refined = SeriesNoise(np.asarray(max(sd, examined.least)), np.asarray(among))
    if refined.long_run >= examined.long_run:
        return examined
    return replace(
        examined,
        sd=float(refined.sd),
        phi=among,
        long_run=float(refined.long_run),
        null=stable(n, among),
    )


def _locate(examined: Examined, alpha: float) -> tuple[Step, ...]:
    critical = examined.null.critical(alpha)
    splits = examined.scan.narrowest_over(critical * examined.long_run)
    while splits:
        located = _settle(examined, splits)
        weakest = min(located, key=lambda step: abs(step.t))
        if abs(weakest.t) > critical:
            return located
        splits = [step.split for step in located if step is not weakest]
    return ()


def _settle(examined: Examined, splits: Sequence[int]) -> tuple[Step, ...]:
    """Move each split, one after the other, to its best place between its neighbours until none moves.

    A move raises the probability of all places together, so that none comes back; and it leaves
    ``LEAST_SIDE`` records to either neighbour, so that no two meet.
    """
    bounds = [0, *splits, examined.series.size]
    for _ in range(examined.series.size):
        before = list(bounds)
        for place in range(1, len(bounds) - 1):
            bounds[place] = _find_between(examined, bounds, place).split
        if bounds == before:
            break
    return tuple(_find_between(examined, bounds, place) for place in range(1, len(bounds) - 1))


def _find_between(examined: Examined, bounds: Sequence[int], place: int) -> Step:
    start, end = bounds[place - 1], bounds[place + 1]
    return locate(examined.sums, start, end, examined.long_run, examined.nu)


def levels(steps: Steps) -> Floats:
    """Return the level of each record."""
    examined = steps.examined
    levels = np.empty(examined.series.size)
    bounds = [0, *(step.split for step in steps.located), levels.size]
    for start, end in pairwise(bounds):
        levels[start:end] = np.average(examined.series[start:end], weights=examined.weights[start:end])
    return levels
