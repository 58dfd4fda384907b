"""``Interval``: two bounds of which the lower is not above the higher."""

from __future__ import annotations

import math

import msgspec


class Interval(msgspec.Struct, frozen=True):
    """A closed, bounded interval. An unbounded one is ``None`` where it would stand."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise ValueError(f"an interval needs finite, ordered bounds, got {self.low} and {self.high}")

    def excludes(self, value: float) -> bool:
        """Whether the value lies outside."""
        return value < self.low or value > self.high

    def reciprocal(self) -> Interval:
        """Return the same statement about one over the quantity; both bounds must be positive."""
        return Interval(1 / self.high, 1 / self.low)
