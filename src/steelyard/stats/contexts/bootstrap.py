"""The two-level bootstrap: contexts are drawn again, and visits within each. A cross-check of the t interval,
since it assumes no shape; with few contexts it is too narrow (85 % coverage at five of them).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from steelyard.stats.contexts.visits import Visits
from steelyard.stats.interval import Interval

FEWEST_CONTEXTS: Final = 10
MOST_CONTEXTS: Final = 1000
"""Beyond, the interval of t needs no check."""
RESAMPLES: Final = 2000


def two_level(of: Visits, *, seed: int = 1, resamples: int = RESAMPLES) -> Interval | None:
    """The 95 % percentile interval of the mean over contexts; ``None`` below 10 contexts, above 1,000, or
    where contexts were visited a different number of times.
    """
    counts = of.counts
    if not FEWEST_CONTEXTS <= counts.size <= MOST_CONTEXTS or np.ptp(counts):
        return None
    visits = int(counts[0])
    table = of.values[np.argsort(of.contexts, kind="stable")].reshape(counts.size, visits)
    rng = np.random.default_rng(seed)
    means = np.zeros(resamples)
    drawn = rng.integers(0, counts.size, (resamples, counts.size))
    for _ in range(visits):
        means += table[drawn, rng.integers(0, visits, drawn.shape)].mean(axis=1)
    low, high = np.quantile(means / visits, (0.025, 0.975))
    return Interval(float(low), float(high))
