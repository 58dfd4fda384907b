"""Units after which slow runs that carry an equivalence over its margin would have shown."""

from __future__ import annotations

import math

from steelyard.core.estimand import Estimand
from steelyard.core.special import normal_quantile
from steelyard.stats.compare.slow_mode import runs_to_trust


def units_to_trust(
    distance: float,
    s: float,
    power: float,
    *,
    least: int = 2,
    passes: int = 1,
    estimand: Estimand = "geomean_ratio",
) -> int:
    """Return the units, of so many ``passes`` each, from which on few slow runs can be unseen.

    Too few for the margin, with a probability of ``power`` over the ratio that is going to be estimated.

    Parameters
    ----------
    distance : float
        Logarithm from the true ratio to the margin, above 0.
    s : float
        Standard deviation of the logarithm of a unit's ratio.
    least : int
        Units that show equivalence otherwise, at least 1.
    """
    reach = normal_quantile((1 + power) / 2) * s

    def count_units(units: int) -> int:
        rest = max(distance - reach / math.sqrt(units), distance / 2)
        return math.ceil(runs_to_trust(rest, estimand) / passes)

    units = max(least, math.ceil(runs_to_trust(distance, estimand) / passes))
    while (needed := count_units(units)) > units:
        units += (needed - units + 1) // 2
    return units
