"""Sample sizes: the number of units that a question needs.

Differences are logarithms of ratios, in standard deviations ``s``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from steelyard.core.special import binomial_cdf, binomial_order, normal_cdf, normal_quantile
from steelyard.results.flags import EARLY, ENOUGH
from steelyard.stats.distributions.sign_test import order_of
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.hypothesis.sign_flip import MOST as MOST_FLIPPED
from steelyard.stats.planning.criticals import (
    Criticals,
    compute_pair_criticals,
    compute_run_criticals,
    compute_sign_criticals,
)
from steelyard.stats.planning.power import POWER, equivalence_power_of, power_of

MOST: Final = 10_000_000
"""Units that nobody runs; more are ``None``."""
MOST_SIGNS: Final = 10_000
"""Units of which the signs are counted; with more, the normal distribution is off by 1 % or less."""
MOST_POWER: Final = 0.999
"""That a part of all records can be asked for, so that all have enough."""


def n_paired(
    effect: float, alpha: float = 0.05, power: float = POWER, *, flipped: bool = False, in_time: bool = False
) -> int | None:
    """Blocks (or contexts) for a one-sample test of differences, by t or where ``flipped`` by their signs.

    ``effect`` is over their ``s``. For units ``in_time``, likeness of neighbours is allowed for.
    """
    return _find_first_after(
        lambda n: paired_power(effect, n, alpha, flipped=flipped, in_time=in_time) >= power,
        _compute_smallest(
            lambda n: paired_power(effect, n, alpha) >= power, _normal_size(effect, alpha, power)
        ),
    )


def paired_power(
    effect: float, n: int, alpha: float, *, flipped: bool = False, in_time: bool = False
) -> float:
    """Return the power that ``n_paired`` asks for, of ``n`` units."""
    criticals = compute_pair_criticals(n, alpha, flipped=flipped, in_time=in_time)
    return power_of(effect * math.sqrt(n), n - 1, criticals)


def n_welch(effect: float, alpha: float = 0.05, power: float = POWER, *, in_time: bool = False) -> int | None:
    """Return runs of each of two unpaired treatments; ``effect`` is over the ``s`` of each."""

    def enough(n: int, *, in_time: bool) -> bool:
        return (
            power_of(effect * math.sqrt(n / 2), 2 * n - 2, compute_run_criticals(n, alpha, in_time=in_time))
            >= power
        )

    return _find_first_after(
        lambda n: enough(n, in_time=in_time),
        _compute_smallest(
            lambda n: enough(n, in_time=False), _normal_size(effect / math.sqrt(2), alpha, power)
        ),
    )


def n_signs(effect: float, alpha: float = 0.05, power: float = POWER, *, in_time: bool = False) -> int | None:
    """Units for the sign test of the median of normal values.

    ``effect`` is over their ``s``. It is the number from which on P(Bin(n, Phi(-effect)) < k) is enough,
    although it falls where k stays. Beyond ``MOST_SIGNS``, by the normal distribution.
    """
    count = _compute_n_signs(effect, alpha, power)
    for _ in range(2 if in_time else 0):
        if count is None:
            return None
        count = _compute_n_signs(effect, alpha, power_without_likeness(effect, count, alpha, power))
    return count


def signs_power(effect: float, n: int, alpha: float, *, in_time: bool = False) -> float:
    """Return the power that ``n_signs`` asks for, of ``n`` units."""
    k = order_of(n, alpha)
    alone = binomial_cdf(k - 1, n, normal_cdf(-effect)) if k else 0.0
    if not in_time:
        return alone
    usual, rest = compute_sign_criticals(n, alpha)
    return usual * alone + min((1 - usual) * alone, _compute_by_median(effect, n, rest))


def power_without_likeness(effect: float, n: int, alpha: float, power: float) -> float:
    """Return the power that the sign test of a median must have where r1 is small.

    With what is left where r1 is not small, both have ``power`` together.
    """
    usual, rest = compute_sign_criticals(n, alpha)
    return min(MOST_POWER, (power - _compute_by_median(effect, n, rest)) / usual)


def _compute_by_median(effect: float, n: int, criticals: Criticals) -> float:
    """Where neighbours seem alike, t judges a median by its standard error."""
    return power_of(effect * math.sqrt(2 * n / math.pi), n - 1, criticals)


def _compute_n_signs(effect: float, alpha: float, power: float) -> int | None:
    wrong = normal_cdf(-effect)
    spread = math.sqrt(wrong * (1 - wrong))
    distance = -normal_quantile(alpha / 2) / 2 + normal_quantile(power) * spread
    near = (distance / (0.5 - wrong)) ** 2 if wrong < 0.5 else math.inf
    if near > MOST_SIGNS:
        return math.ceil(near) if near <= MOST else None
    n = np.arange(max(1, math.floor(0.8 * near) - 20), math.ceil(1.2 * near) + 60)
    k = binomial_order(alpha / 2, n, 0.5)
    short = n[(k < 1) | (binomial_cdf(k - 1, n, wrong) < power)]
    return int(short[-1]) + 1 if short.size else 1


def n_tost(
    margin: float,
    alpha: float = 0.05,
    power: float = 0.9,
    *,
    shift: float = 0.0,
    flipped: bool = False,
    in_time: bool = False,
) -> int | None:
    """Pairs for two one-sided tests at ``alpha`` each, by t or where ``flipped`` by signs.

    ``margin`` and the true ``shift`` are over ``s``.
    """
    if abs(shift) >= margin:
        return None
    return _find_first_after(
        lambda n: tost_power(margin, n, alpha, shift=shift, flipped=flipped, in_time=in_time) >= power,
        _compute_smallest(lambda n: tost_power(margin, n, alpha, shift=shift) >= power),
    )


def tost_power(
    margin: float, n: int, alpha: float, *, shift: float = 0.0, flipped: bool = False, in_time: bool = False
) -> float:
    """Return the power that ``n_tost`` asks for, of ``n`` pairs."""
    root, criticals = math.sqrt(n), compute_pair_criticals(n, 2 * alpha, flipped=flipped, in_time=in_time)
    return equivalence_power_of(margin * root, n - 1, criticals, shift=shift * root)


def n_precise(rel_halfwidth: float, s: float, alpha: float = 0.05) -> int | None:
    """Blocks after which an interval with this ``s`` of log ratios has the relative half-width wanted."""
    halfwidth = math.asinh(rel_halfwidth)
    return _compute_smallest(lambda n: t_quantile(n - 1, alpha) * s / math.sqrt(n) <= halfwidth)


def n_relied_on(rel_halfwidth: float, s: float, alpha: float = 0.05, *, blocks: int = 1) -> int | None:
    """Return the units, of so many ``blocks`` each, after which that half-width ends a run.

    Few blocks must have reached a part of it (docs/decisions/stopping/184-precision-of-few-blocks.md).
    """
    enough = math.ceil(ENOUGH / blocks)
    early = n_precise(EARLY * rel_halfwidth, s, alpha)
    if early is not None and early < enough:
        return early
    late = n_precise(rel_halfwidth, s, alpha)
    return None if late is None else max(late, enough)


def _normal_size(effect: float, alpha: float, power: float) -> float:
    """Return the size by the normal distribution, and what t adds to it.

    Guenther 1981, DOI 10.1080/00031305.1981.10479363: within one or two of the truth, and so much nearer than
    doubling from 2.
    """
    z = -normal_quantile(alpha / 2)
    return (z + normal_quantile(power)) ** 2 / effect**2 + z * z / 2 if effect else math.inf


def _find_first_after(enough: Callable[[int], bool], by_t: int | None) -> int | None:
    """Return the number from which on all are enough, none of them below the one by t alone.

    Some more show less, where one pattern of signs is left, as at 2.5 % with seven, and where likeness of
    neighbours begins to be allowed for in more records, as with 20.
    """
    if by_t is None:
        return None
    if by_t > MOST_FLIPPED or not enough(MOST_FLIPPED + 1):
        return _compute_smallest(enough, max(by_t, MOST_FLIPPED + 1))
    # Twice the difference in standard errors shows whatever is allowed for.
    sizes = range(min(MOST_FLIPPED, 4 * by_t + 20), by_t - 1, -1)
    short = next((n for n in sizes if not enough(n)), None)
    return by_t if short is None else short + 1


def _compute_smallest(enough: Callable[[int], bool], near: float = 2) -> int | None:
    """Return the smallest number from 2 on that is enough, looked for from ``near`` on.

    What is enough stays so for more.
    """
    if not near < 2 * MOST:
        return None
    start, step = max(2, round(near)), 1
    if enough(start):
        low, high = start - 1, start
        while low > 1 and enough(low):
            low, high, step = max(1, low - 2 * step), low, 2 * step
    else:
        low, high = start, start + 1
        while not enough(high):
            low, high, step = high, high + 2 * step, 2 * step
            if high > 2 * MOST:
                return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high if high <= MOST else None
