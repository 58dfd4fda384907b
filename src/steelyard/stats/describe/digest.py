"""``Digest``: what a history keeps of the launches of one record.

The median says where the ordinary runs are, their standard deviation how they scatter, and the rest how many
are slow, so that each of the three can change alone.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import S_PER_MAD
from steelyard.core.units import Better
from steelyard.results.digest import Digest

FAR: Final = 5.0
"""Standard deviations, by the median absolute deviation, from which a run is slow."""
LEAST: Final = 0.05
"""And by how much at least, as a fraction: the deviation of few runs may be small by chance."""
OF_MEDIAN: Final = math.sqrt(math.pi / 2)
"""Standard uncertainty of a median of normal values over that of their mean."""


def digest(values: Floats, better: Better) -> Digest | None:
    """Condense at least one value; ``None`` where one is not positive and finite."""
    if not values.size or not np.isfinite(values).all() or values.min() <= 0:
        return None
    logs = np.log(values)
    middle = _median(logs)
    worse = middle - logs if better == "higher" else logs - middle
    reach = max(FAR * S_PER_MAD * _median(np.abs(worse)), math.log1p(LEAST))
    ordinary = logs[worse <= reach]
    s = float(ordinary.std(ddof=1)) if ordinary.size > 1 else None
    return Digest(values.size, math.exp(middle), s, values.size - ordinary.size)


def _median(values: Floats) -> float:
    """Return the median, without the cost of numpy's own, which loads masked arrays.

    That costs a run more than everything else here.
    """
    ordered = np.sort(values)
    return float((ordered[(ordered.size - 1) // 2] + ordered[ordered.size // 2]) / 2)


def merge(first: Digest, second: Digest) -> Digest:
    """Two records of one commit as one."""
    n = first.n + second.n
    log = (first.n * math.log(first.median) + second.n * math.log(second.median)) / n
    spreads = [(half.n, half.s) for half in (first, second) if half.s is not None]
    s = math.sqrt(sum(n * s * s for n, s in spreads) / sum(n for n, _ in spreads)) if spreads else None
    return Digest(n, math.exp(log), s, first.slow + second.slow)


def u_of_median(summary: Digest) -> float:
    """Return the standard uncertainty of the logarithm of the median.

    It is 0 where a single run says nothing of it.
    """
    return OF_MEDIAN * (summary.s or 0.0) / math.sqrt(summary.n)
