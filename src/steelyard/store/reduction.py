"""How the iterations of one launch become one observation."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Final

from steelyard.spec.experiment import Reduce

REDUCTIONS: Final[dict[Reduce, Callable[[Sequence[float]], float]]] = {
    # Of an even number of values: halfway between the two in the middle.
    "median": statistics.median,
    "mean": statistics.fmean,
    "min": min,
    "max": max,
    "sum": math.fsum,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}
"""Each takes at least one value, in the order in which the program gave them."""
