"""``Digest``: what is kept of a metric of a record for later comparison over many."""

from __future__ import annotations

import msgspec


class Digest(msgspec.Struct, frozen=True):
    """What a history keeps of one metric of one treatment in one record.

    Attributes
    ----------
    n : int
        Launches.
    median : float
        In the unit of the metric.
    s : float or None
        Standard deviation of the logarithms of ordinary runs; ``None`` of fewer than two.
    slow : int
        Runs far worse than the median.
    """

    n: int
    median: float
    s: float | None
    slow: int
