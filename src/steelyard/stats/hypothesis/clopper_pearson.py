"""Clopper-Pearson: the exact interval of a binomial proportion."""

from __future__ import annotations

from steelyard.core.special import beta_quantile
from steelyard.results.interval import Interval


def clopper_pearson(successes: int, n: int, alpha: float = 0.05) -> Interval:
    """Return the exact two-sided interval at level 1 - ``alpha`` for a binomial proportion.

    It covers the proportion at least that often, whatever it is.

    Quantiles of beta distributions, both tails ``alpha`` / 2 (Clopper and Pearson 1934, DOI
    10.1093/biomet/26.4.404).

    Raises
    ------
    ValueError
        Fewer than one trial, or more successes than trials.
    """
    if not 0 <= successes <= n or n < 1:
        raise ValueError(
            f"{successes} successes of {n} trials: expected 0 <= successes <= trials, and at least one trial"
        )
    low = beta_quantile(successes, n - successes + 1, alpha / 2) if successes else 0.0
    high = beta_quantile(successes + 1, n - successes, 1 - alpha / 2) if successes < n else 1.0
    return Interval(low, high)
