"""Putting observations that come one by one together into series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from steelyard.series import Point, Series


class Collected(msgspec.Struct):
    """Observations by function and metric, then by point, in the order in which they came."""

    parameters: tuple[str, ...]
    values: dict[tuple[str, str], dict[tuple[float, ...], list[float]]] = {}

    def add(self, name: str, metric: str, at: Sequence[float], values: Sequence[float]) -> None:
        """Add repetitions at a point."""
        points = self.values.setdefault((name, metric), {})
        points.setdefault(tuple(at), []).extend(values)

    def series(self, units: dict[str, str] | None = None) -> tuple[Series, ...]:
        """All series; a point that a function lacks is simply not in its series."""
        return tuple(self._each(units or {}))

    def _each(self, units: dict[str, str]) -> Iterator[Series]:
        for (name, metric), points in self.values.items():
            ordered = tuple(Point(at, tuple(points[at])) for at in sorted(points))
            unit = units.get(metric, UNITS.get(metric, ""))
            labels = {"function": name} if name else {}
            yield Series(name, metric, unit, self.parameters, ordered, labels, counts=metric in COUNTS)


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
