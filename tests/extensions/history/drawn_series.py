"""Series of records that nobody ran."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from steelyard.core.arrays import Floats
from steelyard.core.units import Metric
from steelyard.extensions.history.results import Point, SeriesHistory
from steelyard.results.digest import Digest

WALL = Metric("wall_s", "s", "builtin", "lower")


def ar1(rng: np.random.Generator, n: int, phi: float, *shape: int) -> Floats:
    """Normal noise of variance 1 whose neighbours correlate by phi."""
    shocks: Floats = rng.normal(size=(*shape, n))
    shocks[..., 1:] *= math.sqrt(1 - phi * phi)
    for t in range(1, n):
        shocks[..., t] += phi * shocks[..., t - 1]
    return shocks


def series_of(
    logs: Sequence[float],
    *,
    u: float = 0.0,
    s: Sequence[float] | None = None,
    slow: Sequence[int] | None = None,
    n: int = 10,
    metric: Metric = WALL,
    names: Sequence[str] | None = None,
) -> SeriesHistory:
    """A series with these logarithms of medians, and digests of records of ``n`` runs."""
    count = len(logs)
    s = [0.01] * count if s is None else s
    slow = [0] * count if slow is None else slow
    names = names or [f"c{place}" for place in range(count)]
    points = tuple(
        Point(name, Digest(n, math.exp(log), float(its_s), int(its_slow)), math.exp(log), u)
        for name, log, its_s, its_slow in zip(names, logs, s, slow, strict=True)
    )
    return SeriesHistory("prog", metric, {}, 1, points)


@pytest.fixture(scope="session")
def noise_of() -> Callable[..., Floats]:
    return ar1


@pytest.fixture(scope="session")
def made_series() -> Callable[..., SeriesHistory]:
    return series_of
