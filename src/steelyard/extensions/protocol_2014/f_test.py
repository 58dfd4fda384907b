"""Fisher's F: whether two normal samples have the same variance."""

from __future__ import annotations

from steelyard.core.special import f_cdf, f_sf
from steelyard.results.hypothesis import VarianceRatio


def variance_ratio(first: float, n_first: int, second: float, n_second: int) -> VarianceRatio | None:
    """F test of two variances (with n - 1) of samples of the given sizes.

    ``None`` where a sample has no spread.
    """
    if not (first > 0 and second > 0):
        return None
    f, nu_first, nu_second = first / second, n_first - 1, n_second - 1
    tails = f_cdf(nu_first, nu_second, f), f_sf(nu_first, nu_second, f)
    return VarianceRatio(f, min(1.0, 2 * min(tails)), nu_first, nu_second)
