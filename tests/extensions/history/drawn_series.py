"""Series of records that nobody ran."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest

from steelyard.core.units import Metric
from steelyard.extensions.history.results import Point, SeriesHistory
from steelyard.results.digest import Digest

WALL = Metric("wall_s", "s", "builtin", "lower")


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
def made_series() -> Callable[..., SeriesHistory]:
    return series_of
