"""Whether the step of a clock shows in a sample of times."""

from __future__ import annotations

from typing import Final

import numpy as np

from steelyard.core.arrays import Floats

COARSE: Final = 0.25
"""A step of a quarter of s adds 0.5 % to the variance (step / sqrt 12); coarser steps also make Shapiro-Wilk
and t doubtful.
"""


def coarse_step(values: Floats) -> float | None:
    """Return the smallest gap between values, where values repeat and the gap exceeds a quarter of s.

    It is 0 where two or more are all equal.

    ``None`` means that no step can be seen. For times: equal counts are ordinary, equal times are rounded
    ones.
    """
    ordered = np.sort(values)
    gaps = ordered[1:] - ordered[:-1]
    wider = gaps[gaps > 0]
    if wider.size == gaps.size:
        return None
    if wider.size == 0:
        return 0.0
    gap = float(wider.min())
    # Over the largest, so that squares stay in range.
    largest = max(abs(float(ordered[0])), abs(float(ordered[-1])))
    return gap if gap / largest > COARSE * float((values / largest).std(ddof=1)) else None
