"""The two-level bootstrap: contexts are drawn again, and visits within each. A cross-check of the t interval,
since it assumes no shape.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from steelyard.answers.interval import Interval
from steelyard.stats.contexts.visits import Visits
from steelyard.stats.distributions.bootstrap_t import studentised_groups
from steelyard.stats.distributions.monte_carlo import Studentised
from steelyard.stats.rounding import constant

FEWEST_CONTEXTS: Final = 10
MOST_CONTEXTS: Final = 1000
"""Beyond, the interval of t needs no check."""
RESAMPLES: Final = 2000


def two_level(of: Visits, *, seed: int = 1, resamples: int = RESAMPLES) -> Interval | None:
    """The 95 % interval of the ratio over contexts, each counting once, studentised on its logarithm.
    ``None`` below 10 contexts, above 1,000, where they differ by rounding alone, or without a bound.
    """
    order = np.argsort(of.contexts, kind="stable")
    groups = np.split(of.values[order], np.cumsum(of.counts)[:-1])
    if not FEWEST_CONTEXTS <= len(groups) <= MOST_CONTEXTS:
        return None
    means = of.means
    if constant(means):
        return None
    se = float(means.std(ddof=1)) / math.sqrt(means.size)
    drawn = studentised_groups(groups, seed=seed, resamples=resamples)
    return Studentised(float(means.mean()), se, drawn).interval(0.05)
