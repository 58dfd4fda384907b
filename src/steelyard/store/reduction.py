"""How the iterations of one launch become one observation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from steelyard.spec.experiment import Reduce


def _median(values: Sequence[float]) -> float:
    """Of an even number of values: halfway between the two in the middle."""
    from statistics import median

    return median(values)


def _mean(values: Sequence[float]) -> float:
    from statistics import fmean

    return fmean(values)


REDUCTIONS: Final[dict[Reduce, Callable[[Sequence[float]], float]]] = {
    "median": _median,
    "mean": _mean,
    "min": min,
    "max": max,
    "sum": math.fsum,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}
"""Each takes at least one value, in the order in which the program gave them."""
