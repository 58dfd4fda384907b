"""Sample sizes: the number of units that a question needs. Differences are logarithms of ratios, in standard
deviations ``s``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.hypothesis.sign_flip import FEWEST
from steelyard.stats.hypothesis.sign_flip import MOST as MOST_FLIPPED
from steelyard.stats.hypothesis.sign_flip_critical import sign_flip_critical
from steelyard.stats.planning.power import equivalence_power, t_power

MOST: Final = 10_000_000
"""Units that nobody runs; more are ``None``."""
MOST_SIGNS: Final = 10_000
"""Units of which the signs are counted; with more, the normal distribution is off by 1 % or less."""


def n_paired(effect: float, alpha: float = 0.05, power: float = 0.8, *, flipped: bool = False) -> int | None:
    """Blocks (or contexts) for a one-sample test of differences, by t or where ``flipped`` by their signs;
    ``effect`` over their ``s``.
    """
    return _tested(
        lambda n, critical: t_power(effect * math.sqrt(n), n - 1, critical) >= power,
        alpha,
        flipped=flipped,
        near=_normal_size(effect, alpha, power),
    )


def n_welch(effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Runs of each of two treatments that nothing pairs; ``effect`` over the ``s`` of each."""
    return _smallest(
        lambda n: t_power(effect * math.sqrt(n / 2), 2 * n - 2, t_quantile(2 * n - 2, alpha)) >= power,
        near=_normal_size(effect / math.sqrt(2), alpha, power),
    )


def n_signs(effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Units for the sign test of the median of normal values; ``effect`` over their ``s``: the number from
    which on P(Bin(n, Phi(-effect)) < k) is enough, although it falls where k stays. Beyond ``MOST_SIGNS``, by
    the normal distribution.
    """
    from scipy.special import bdtr, bdtrik, ndtr, ndtri

    wrong = float(ndtr(-effect))
    spread = math.sqrt(wrong * (1 - wrong))
    wanted = -float(ndtri(alpha / 2)) / 2 + float(ndtri(power)) * spread
    near = (wanted / (0.5 - wrong)) ** 2 if wrong < 0.5 else math.inf
    if near > MOST_SIGNS:
        return math.ceil(near) if near <= MOST else None
    n = np.arange(max(1, math.floor(0.8 * near) - 20), math.ceil(1.2 * near) + 60)
    # The real number of successes at which the share is alpha / 2, and one more: k, where that is above 0.
    k = np.nan_to_num(np.floor(bdtrik(alpha / 2, n, 0.5)), nan=-1.0) + 1
    k -= (k > 0) & (2 * bdtr(k - 1, n, 0.5) > alpha)
    short = n[(k < 1) | (bdtr(k - 1, n, wrong) < power)]
    return int(short[-1]) + 1 if short.size else 1


def n_tost(
    margin: float, alpha: float = 0.05, power: float = 0.9, *, shift: float = 0.0, flipped: bool = False
) -> int | None:
    """Pairs for two one-sided tests at ``alpha`` each, by t or where ``flipped`` by signs; ``margin`` and the
    true ``shift`` over ``s``.
    """
    if abs(shift) >= margin:
        return None

    def enough(n: int, critical: float) -> bool:
        root = math.sqrt(n)
        return equivalence_power(margin * root, n - 1, critical, shift=shift * root) >= power

    return _tested(enough, 2 * alpha, flipped=flipped)


def n_precise(rel_halfwidth: float, s: float, alpha: float = 0.05) -> int | None:
    """Blocks after which an interval with this ``s`` of log ratios has the relative half-width wanted."""
    wanted = math.asinh(rel_halfwidth)
    return _smallest(lambda n: t_quantile(n - 1, alpha) * s / math.sqrt(n) <= wanted)


def _normal_size(effect: float, alpha: float, power: float) -> float:
    """By the normal distribution, and what t adds to it (Guenther 1981, DOI 10.1080/00031305.1981.10479363):
    within one or two of the truth, and so much nearer than doubling from 2.
    """
    from scipy.special import ndtri

    z = -float(ndtri(alpha / 2))
    return (z + float(ndtri(power))) ** 2 / effect**2 + z * z / 2 if effect else math.inf


def _tested(
    enough: Callable[[int, float], bool], alpha: float, *, flipped: bool, near: float = 2
) -> int | None:
    """The smallest number that is enough with its two-sided critical value at ``alpha``, as all larger ones
    are: where one pattern is left, as at 2.5 % with seven, some more differences show less.
    """
    by_t = _smallest(lambda n: enough(n, t_quantile(n - 1, alpha)), near)
    if not flipped or by_t is None or by_t > MOST_FLIPPED:
        return by_t
    # Signs never show more than t does, so that nothing below the number by t is enough.
    sizes = range(MOST_FLIPPED, max(by_t, FEWEST) - 1, -1)
    short = next((n for n in sizes if not enough(n, sign_flip_critical(n, alpha))), None)
    return by_t if short is None else short + 1


def _smallest(enough: Callable[[int], bool], near: float = 2) -> int | None:
    """The smallest number from 2 on that is enough, looked for from ``near`` on; what is enough stays so for
    more.
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
