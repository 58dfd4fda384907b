"""Intervals in documents: low end, high end."""

from __future__ import annotations

from typing import overload

from steelyard.answers.interval import Interval

Ends = tuple[float, float]


@overload
def ends(interval: Interval) -> Ends: ...
@overload
def ends(interval: None) -> None: ...
def ends(interval: Interval | None) -> Ends | None:
    """Low and high."""
    return None if interval is None else (interval.low, interval.high)
