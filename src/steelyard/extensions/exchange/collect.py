"""Putting observations that come one by one together into series."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from steelyard.core.series import Point, Series


class Observations(msgspec.Struct):
    """Observations by function and metric, then by point, in the order in which they came."""

    parameters: tuple[str, ...]
    values: dict[tuple[str, str], dict[tuple[float, ...], list[float]]] = {}
    lost: dict[tuple[str, str], list[str]] = {}
    lost_at: dict[tuple[str, str], dict[tuple[float, ...], None]] = {}
    summaries: dict[tuple[str, str, tuple[float, ...]], tuple[float, int]] = {}
    """Standard uncertainty and launches of points of which only a mean is known."""

    def add(self, name: str, metric: str, at: Sequence[float], values: Sequence[float]) -> None:
        """Add repetitions at a point; values that are not numbers are left out, and reported."""
        points = self.values.setdefault((name, metric), {})
        sound = [value for value in values if math.isfinite(value)]
        if len(sound) < len(values):
            text = ", ".join(f"{p} = {x:g}" for p, x in zip(self.parameters, at, strict=True))
            bad = next(value for value in values if not math.isfinite(value))
            lost = self.lost.setdefault((name, metric), [])
            lost += [f"{bad} at {text}"] * (len(values) - len(sound))
            self.lost_at.setdefault((name, metric), {})[tuple(at)] = None
        if sound:
            points.setdefault(tuple(at), []).extend(sound)

    def summarise(self, name: str, metric: str, at: Sequence[float], mean: float, u: float, n: int) -> None:
        """Add a mean with its standard uncertainty and the number of launches behind it."""
        self.add(name, metric, at, [mean])
        self.summaries[name, metric, tuple(at)] = (u, n)

    def series(self, units: dict[str, str] | None = None) -> tuple[Series, ...]:
        """All series; a point that a function lacks is simply not in its series."""
        return tuple(self._make_series(units or {}))

    def _make_series(self, units: dict[str, str]) -> Iterator[Series]:
        for (name, metric), points in self.values.items():
            ordered = tuple(
                Point(at, tuple(points[at]), *self.summaries.get((name, metric, at), (None, 0)))
                for at in sorted(points)
            )
            lost = tuple(self.lost.get((name, metric), ()))
            unit = units.get(metric, UNITS.get(metric, ""))
            series = make_series(name, metric, unit, self.parameters, ordered, lost)
            yield replace(series, lost_at=tuple(self.lost_at.get((name, metric), ())))


def make_series(
    name: str,
    metric: str,
    unit: str,
    parameters: tuple[str, ...],
    points: tuple[Point, ...],
    lost: tuple[str, ...] = (),
) -> Series:
    """Return a series of a file, its points in order."""
    labels = {"function": name} if name else {}
    return Series(name, metric, unit, parameters, points, labels, counts=metric in COUNTS, lost=lost)


UNITS = {
    "time": "s",
    "min_time": "s",
    "max_time": "s",
    "bytes": "B",
    "bytes_sent": "B",
    "bytes_received": "B",
}
"""Units of the metrics that Score-P names."""
COUNTS = frozenset({"visits", "hits", "calls"})
