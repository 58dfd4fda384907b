"""The kinds of change: what of a record they look at, on a scale where noise is the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.history.results import Kind, Point
from steelyard.results.digest import Digest


class Scaled(msgspec.Struct, frozen=True):
    """The values of a series on the scale of a kind, and the standard uncertainty of each."""

    values: Floats
    u: Floats


def _make_level(points: Sequence[Point]) -> Scaled:
    return Scaled(
        np.array([math.log(point.median) for point in points]), np.array([point.u for point in points])
    )


def _make_spread(points: Sequence[Point]) -> Scaled | None:
    spreads = [(point.digest.s, point.digest.n - point.digest.slow) for point in points]
    positive = [(s, n) for s, n in spreads if s]
    if len(positive) < len(spreads):
        return None
    # Of normal values; that of few is a little more.
    u = [1 / math.sqrt(2 * (n - 1)) for _, n in positive]
    return Scaled(np.array([math.log(s) for s, _ in positive]), np.array(u))


def _make_slow_runs(points: Sequence[Point]) -> Scaled | None:
    if not any(point.digest.slow for point in points):
        return None
    # Anscombe 1948, DOI 10.1093/biomet/35.3-4.246: the variance is that of 1 / 2 sqrt(n + 1/2) whatever the
    # fraction.
    return Scaled(
        np.array([_arcsine(point.digest) for point in points]),
        np.array([1 / (2 * math.sqrt(point.digest.n + 0.5)) for point in points]),
    )


def _arcsine(digest: Digest) -> float:
    return math.asin(math.sqrt((digest.slow + 0.375) / (digest.n + 0.75)))


SCALES: Final[Mapping[Kind, Callable[[Sequence[Point]], Scaled | None]]] = {
    "level": _make_level,
    "spread": _make_spread,
    "slow_runs": _make_slow_runs,
}
"""``None`` where a series cannot show such a change."""


def unscale(kind: Kind, value: float) -> float:
    """Return a level on the scale of a kind as what it stands for."""
    return math.sin(min(max(value, 0.0), math.pi / 2)) ** 2 if kind == "slow_runs" else math.exp(value)
