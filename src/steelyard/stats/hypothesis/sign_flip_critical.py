"""Critical values of the sign-flip test of a mean, from which its power is computed beforehand.

The distance that rejects depends on where the differences lie about their mean, so that flipped signs have no
one critical value. For normal differences this one has their power: at 5 %, 6 % above that of t with 7 blocks
and 0.3 % with 12, and up to a third above where few patterns are left
(docs/decisions/comparing/064-power-of-flipped-signs.md).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from steelyard.stats.distributions.order_statistics import order_of
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.hypothesis.sign_flip import ENUMERATED, FEWEST, MOST
from steelyard.stats.hypothesis.sign_flip_table import AT, BELOW, REACHED, UNDER


@lru_cache(maxsize=4096)
def sign_flip_critical(n: int, alpha: float) -> float:
    """Return the critical value of the test by signs, in standard errors.

    A t that rejects beyond it has the power of the test of ``n`` differences by their signs at ``alpha``; it
    is that of t itself where t tests them, below 7 and above 64.

    The level reached is the largest of k / 2^(n-1) (of k / 2^13 from 14 differences on) that is at most
    ``alpha``; of smaller ones, both tests must reject.
    """
    if not FEWEST <= n <= MOST:
        return t_quantile(n - 1, alpha)
    patterns = 2 ** min(n, ENUMERATED)
    reached = order_of(patterns - 1, alpha)
    level = 2 * reached / patterns if reached else alpha
    return t_quantile(n - 1, level) * (1 + _excess(n, reached, math.log2(2 / patterns / level)) / 1000)


def _excess(n: int, reached: int, halvings: float) -> float:
    """Excess in thousandths; linear in 1 / n between the numbers of differences that are tabled."""
    above = min(size for size in AT if size >= n)
    below = max(size for size in AT if size <= n)
    few, many = (_compute_for_size(size, reached, halvings) for size in (below, above))
    return few if above == below else few + (many - few) * (1 / below - 1 / n) / (1 / below - 1 / above)


def _compute_for_size(n: int, reached: int, halvings: float) -> float:
    """Linear in the logarithm of the level."""
    if not reached:
        return float(np.interp(halvings, BELOW, UNDER[n]))
    row = AT[n]
    return float(np.interp(math.log(reached), np.log(REACHED[: len(row)]), row))
