"""LORD++: significance levels for tests that come one after another, at one false discovery rate.

The t-th test gets wealth that the discoveries before it have earned; with independent p values the expected
fraction of false ones among all discoveries stays below ``alpha``, at any time. Where nothing is true, that
is the probability of any discovery at all. Ramdas, Yang, Wainwright, Jordan, Online control of the false
discovery rate with decaying memory, NeurIPS 2017, equation 9; the sequence is that of Javanmard and
Montanari, Annals of Statistics 46 (2018), 526, DOI 10.1214/17-AOS1559.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

_SCALE: Final = 0.079
"""With which the weights sum to less than 1: to 0.591 over the first 10^7, to 0.9990 without end."""


def weight(j: int) -> float:
    """Fraction of the wealth that the j-th test after it was earned may spend; j from 1."""
    return _SCALE * math.log(max(j, 2)) / (j * math.exp(math.sqrt(math.log(j))))


def level(test: int, discoveries: Sequence[int], alpha: float) -> float:
    """Return the level of a test, by the tests before it that were discoveries.

    Parameters
    ----------
    test : int
        Its number, from 1.
    discoveries : sequence of int
        Numbers of earlier tests, ascending.
    """
    first = alpha / 2
    earned = first * weight(test)
    for place, discovery in enumerate(discoveries):
        earned += (alpha - first if place == 0 else alpha) * weight(test - discovery)
    return earned
