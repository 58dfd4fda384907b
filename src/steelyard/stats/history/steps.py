"""The lasting changes of one series, each with its place, size and p."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.arrays import Floats
from steelyard.stats.history.noise import FAR, HIGHEST, Noise, clipped, corrected, neighbourhood, noise
from steelyard.stats.history.place import Step, locate
from steelyard.stats.history.scan import Scan, Sums
from steelyard.stats.history.stable import Stable, stable

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
    known = float(np.sqrt(np.mean(u**2)))
    least = max(known, EXACT)
    found = noise(series, least)
    sd, phi = float(found.sd), float(found.phi)
    # What records scatter beyond their own uncertainty they share; one of few runs counts less.
    shared = max(sd**2 - known**2, 0.01 * sd**2)
    weights = 1 / (shared + u**2)
    weights /= weights.mean()
    near = clipped(series, found.sd)
    sums = Sums.of(near, weights)
    far = np.abs(series - neighbourhood(series)) > FAR * sd
    return Examined(
        series=near,
        weights=weights,
        sums=sums,
        scan=Scan.of(sums),
        sd=sd,
        phi=phi,
        long_run=float(found.long_run),
        least=least,
        outliers=tuple(np.flatnonzero(far).tolist()),
        null=stable(series.size, phi),
    )


def steps(found: Examined, alpha: float) -> list[Step]:
    """The steps, none where the whole series is stable at level ``alpha``."""
    located = _located(found, alpha)
    while located:
        # What lies between them shows the noise better than differences across them.
        found = _refined(found, located)
        again = _located(found, alpha)
        if len(again) <= len(located):
            return again or located
        located = again
    return []


def _refined(found: Examined, located: list[Step]) -> Examined:
    """With the noise around the levels, where that is less than the noise of differences."""
    rest = found.series - _levels(found, located)
    n, levels = rest.size, len(located) + 1
    sd = math.sqrt(float(found.weights @ rest**2) / max(n - levels, 1))
    r1 = np.asarray(rest[1:] @ rest[:-1] / max(float(rest @ rest), EXACT**2))
    among = min(max(float(corrected(r1, levels / n)), 0.0), HIGHEST)
    refined = Noise(np.asarray(max(sd, found.least)), np.asarray(among))
    if refined.long_run >= found.long_run:
        return found
    return replace(
        found,
        sd=float(refined.sd),
        phi=among,
        long_run=float(refined.long_run),
        null=stable(n, among),
    )


def _located(found: Examined, alpha: float) -> list[Step]:
    critical = found.null.critical(alpha)
    splits = found.scan.narrowest_over(critical * found.long_run)
    while splits:
        located = _between_neighbours(found, splits)
        weakest = min(located, key=lambda step: abs(step.t))
        # Two neighbours may have met at one place, or passed each other.
        splits = sorted({step.split for step in located})
        if abs(weakest.t) > critical:
            return _between_neighbours(found, splits)
        splits.remove(weakest.split)
    return []


def _levels(found: Examined, located: list[Step]) -> Floats:
    """The level of each record."""
    levels = np.empty(found.series.size)
    bounds = [0, *(step.split for step in located), levels.size]
    for start, end in pairwise(bounds):
        levels[start:end] = np.average(found.series[start:end], weights=found.weights[start:end])
    return levels


def _between_neighbours(found: Examined, splits: list[int]) -> list[Step]:
    bounds = [0, *splits, found.sums.weights.size - 1]
    return [
        locate(found.sums, before, behind, found.long_run, found.nu)
        for before, behind in zip(bounds[:-2], bounds[2:], strict=True)
    ]


def drift(found: Examined, located: list[Step]) -> float | None:
    """The slope from the first record to the last, where a line describes a series with steps better than
    these do (Schwarz's criterion); ``None`` otherwise.
    """
    n = found.series.size
    line = np.polynomial.Polynomial.fit(np.arange(n), found.series, 1, w=np.sqrt(found.weights))
    fits = line(np.arange(n)), _levels(found, located)
    rest = [float(found.weights @ (found.series - fit) ** 2) for fit in fits]
    of_line, of_steps = (
        n * math.log(max(each, n * EXACT**2) / n) + parameters * math.log(n)
        for each, parameters in zip(rest, (2, 2 * len(located) + 1), strict=True)
    )
    return float(line(n - 1) - line(0)) if located and of_line < of_steps else None
