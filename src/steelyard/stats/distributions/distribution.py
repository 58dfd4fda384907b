"""``Distribution``: the source of an interval and of its p values."""

from __future__ import annotations

from typing import Protocol

from steelyard.answers.interval import Interval


class Distribution(Protocol):
    """Sampling distribution of a ratio. Every one keeps this promise: ``p_of(r)`` is at most alpha exactly
    when ``interval(alpha)`` is bounded and leaves out r; or, of values that are only lower bounds, when what
    is left of the interval does.
    """

    def p_of(self, ratio: float) -> float:
        """Two-sided p of the hypothesis that the ratio is ``ratio``, above 0."""

    def interval(self, alpha: float) -> Interval | None:
        """Two-sided interval of the ratio at level 1 - ``alpha``; ``None`` where it is unbounded or reaches
        0.
        """
