"""``Criticals``: what the test of units that have not been run yet will have to exceed.

r1 of independent units is large by chance in some records, and these are judged as if neighbours resembled
each other (``stats.describe.dependence``): a test has one critical value in most records, and larger ones in
the rest. r1 of normal units tells nothing of their mean and s, so that power is the mean of the powers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from steelyard.stats.describe.autocorrelation import make_autocorrelation
from steelyard.stats.describe.dependence import FEWEST, allowance, threshold
from steelyard.stats.distributions.durbin_watson import chance_of_likeness, likeness_by_chance
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.hypothesis.sign_flip_critical import sign_flip_critical

_PARTS: Final = 4
"""Values of r1 by which those above the threshold are told."""


class Criticals(msgspec.Struct, frozen=True):
    """Critical values in standard errors, and the probability of each; they add up to 1."""

    values: tuple[float, ...]
    shares: tuple[float, ...]


def compute_pair_criticals(
    n: int, alpha: float, *, flipped: bool = False, in_time: bool = False
) -> Criticals:
    """Critical values of ``n`` paired units at ``alpha``, by t or where ``flipped`` by their signs.

    For units ``in_time``, likeness of neighbours is allowed for.
    """
    critical = sign_flip_critical(n, alpha) if flipped else t_quantile(n - 1, alpha)
    return _allow_for_likeness(critical, n, alpha, 1) if in_time else repeat_critical(critical)


def compute_run_criticals(n: int, alpha: float, *, in_time: bool = False) -> Criticals:
    """Critical values of Welch's test of two treatments with ``n`` runs each.

    The treatment that seems more alike decides.
    """
    critical = t_quantile(2 * n - 2, alpha)
    return _allow_for_likeness(critical, n, alpha, 2) if in_time else repeat_critical(critical)


def compute_sign_criticals(n: int, alpha: float) -> tuple[float, Criticals]:
    """Return how probably the sign test of a median judges ``n`` units in time alone.

    The critical values of t where it does not are returned too.
    """
    criticals = _allow_for_likeness(0.0, n, alpha, 1)
    return criticals.shares[0], Criticals(criticals.values[1:], criticals.shares[1:])


def repeat_critical(critical: float) -> Criticals:
    """Return the same in every record."""
    return Criticals((critical,), (1.0,))


@lru_cache(maxsize=4096)
def _allow_for_likeness(critical: float, n: int, alpha: float, series: int) -> Criticals:
    """``critical``, and what takes its place where one of so many ``series`` seems alike."""
    if n < 3:
        return repeat_critical(critical)
    either = 1 - (1 - chance_of_likeness(threshold(n), n)) ** series
    nodes, weights = np.polynomial.legendre.leggauss(_PARTS if n >= FEWEST else 1)
    values, shares = [critical], [1 - either]
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        single = 1 - (1 - either * (1 + node) / 2) ** (1 / series)
        allowed = allowance(make_autocorrelation(likeness_by_chance(single, n), n))
        values.append(max(critical, t_quantile(allowed.nu, alpha) * allowed.factor))
        shares.append(either * weight / 2)
    return Criticals(tuple(values), tuple(shares))
