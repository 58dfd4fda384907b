"""Units that resemble their neighbours in time: p-values and intervals that allow for it.

Of x_i = phi x_(i-1) + e_i, the mean varies more than s^2 / n says, and s^2 itself varies as if it had fewer
degrees of freedom; how much follows from phi and n alone.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.results.comparison import Distribution, Speedup
from steelyard.results.interval import Interval
from steelyard.results.samples import Autocorrelation
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.distributions.student import LogT, t_quantile
from steelyard.stats.hypothesis.midranks import midranks

FEWEST: Final = 20
"""Units below which r1 hardly tells how much neighbours resemble each other."""
SUSPECT: Final = 0.84
"""Standard errors of r1 above 0, 1 / sqrt(n) each, from which on likeness is allowed for, though 1.96 are
significant: what is not significant costs most of the coverage where neighbours do resemble each other
(docs/decisions/comparing/183-few-neighbours-bounded.md). One in seven independent series is that far."""
FEW_SUSPECT: Final = 1.28
"""The same below ``FEWEST`` units, where allowing for it makes intervals some four times as wide: those of 2
to 5 % of independent series from 8 units on, and none of fewer."""
MORE: Final = 1.15
"""Standard errors by which r is taken for larger than it was seen: too large a one costs width alone."""
LARGEST: Final = 0.98
"""Autocorrelation up to which ``FEWEST`` units and more are allowed for."""
FEW_LARGEST: Final = 0.8
"""The one that fewer are allowed for, whatever they show."""
FEW_FACTOR: Final = 4.0
"""Times t that this takes: |t| of 5 to 19 units with autocorrelations 0.8^k exceeds 3.5 to 3.95 times the
critical value of as many independent ones as often, at levels from 10 to 0.1 %."""

SUSPECT_AT_BOUND: Final = 0.5
"""In place of ``SUSPECT`` where a ratio other than 1 is judged. The order that was drawn gives differences of
equal programs independent signs; those of programs that differ may wander from one minute to the next
(docs/decisions/comparing/591-few-blocks-at-a-bound.md)."""
AT_BOUND: Final = 0.5
"""Autocorrelation that fewer units are allowed for there, although none shows."""


class Allowance(msgspec.Struct, frozen=True):
    """What likeness of neighbours does to the standard error of a mean.

    Attributes
    ----------
    factor : float
        Standard error over s / sqrt(n).
    nu : float
        Its degrees of freedom.
    """

    factor: float
    nu: float


class Hull(msgspec.Struct, frozen=True):
    """The more careful of two distributions of one ratio."""

    first: Distribution
    second: Distribution

    def p_of(self, ratio: float) -> float:
        """Return the larger p of the hypothesis that the ratio is ``ratio``."""
        return max(self.first.p_of(ratio), self.second.p_of(ratio))

    def interval(self, alpha: float) -> Interval | None:
        """Return what holds both intervals; ``None`` where one of them is unbounded."""
        interval, second = self.first.interval(alpha), self.second.interval(alpha)
        if interval is None or second is None:
            return None
        return Interval(min(interval.low, second.low), max(interval.high, second.high))


def allow_for(ratio: Speedup, likeness: Autocorrelation | None, *, at_bound: bool = False) -> Speedup:
    """Return the same estimate, allowing for units that resemble their neighbours.

    If they seem to, it is at least as careful as its own method, and as t with the standard error and the
    degrees of freedom that such units leave.

    Parameters
    ----------
    at_bound : bool
        Whether a ratio other than 1 is judged, so that few units are allowed for whatever they show.
    """
    allowed = None if likeness is None else _find_allowance(likeness, at_bound=at_bound)
    if allowed is None or not ratio.se:
        return ratio
    se = ratio.se * allowed.factor
    distribution = Hull(ratio.distribution, LogT(ratio.log, se, allowed.nu))
    return replace(
        ratio,
        se=se,
        nu=allowed.nu,
        p=distribution.p_of(1.0),
        distribution=distribution,
        allowances=(*ratio.allowances, "neighbours"),
    )


def allow_for_neighbours(in_time: Floats, *, at_bound: bool = False) -> Allowance:
    """Return the allowance for units in the order of time; that of independent ones where none seem alike."""
    likeness = autocorrelation(in_time)
    allowed = None if likeness is None else _find_allowance(likeness, at_bound=at_bound)
    return allowed or Allowance(1.0, in_time.size - 1)


def widening_by_ranks(in_time: Floats, *, at_bound: bool = False) -> float:
    """Return how many times as wide an interval is at 95 % that allows for units like their neighbours.

    Their ranks show that, however far a single value lies. ``at_bound`` is as in ``allow_for``.
    """
    if in_time.size < 2:
        return 1.0
    allowed = allow_for_neighbours(midranks(in_time).ranks, at_bound=at_bound)
    return allowed.factor * t_quantile(allowed.nu, 0.05) / t_quantile(in_time.size - 1, 0.05)


def _find_allowance(likeness: Autocorrelation, *, at_bound: bool) -> Allowance | None:
    if likeness.r1 > threshold(likeness.n, at_bound=at_bound):
        return allowance(likeness)
    return allowance_under(AT_BOUND, likeness.n) if at_bound and likeness.n < FEWEST else None


def suspected(likeness: Autocorrelation) -> bool:
    """Whether neighbours resemble each other enough to be reckoned with."""
    return likeness.r1 > threshold(likeness.n)


def threshold(n: int, *, at_bound: bool = False) -> float:
    """Return the r1 of n units above which neighbours are suspected to resemble each other."""
    if n < FEWEST:
        return FEW_SUSPECT / math.sqrt(n)
    return (SUSPECT_AT_BOUND if at_bound else SUSPECT) / math.sqrt(n)


def few_suspected(likeness: Autocorrelation) -> bool:
    """Whether they seem to, and are so few that only a bound on how much can allow for it."""
    return likeness.n < FEWEST and suspected(likeness)


def allowance(likeness: Autocorrelation) -> Allowance:
    """Return the allowance for somewhat more likeness than was seen.

    Below ``FEWEST`` units, it is for as much as is allowed for at all.
    """
    if likeness.n < FEWEST:
        return Allowance(FEW_FACTOR, likeness.n - 1)
    return allowance_in_time(likeness)


def allowance_in_time(likeness: Autocorrelation) -> Allowance:
    """Return the allowance for somewhat more likeness than was seen, of however few units.

    It is for the values of one treatment, whose places in time no draw has mixed with those of another.
    """
    r, n = likeness.corrected, likeness.n
    return allowance_under(min(LARGEST, r + MORE * math.sqrt((1 - r * r) / n)), n)


@lru_cache(maxsize=1024)
def allowance_under(phi: float, n: int) -> Allowance:
    """Return the allowance where n units have the autocorrelations phi^k, 0 <= phi < 1.

    It is the standard deviation of the mean over the s / sqrt(n) that is expected, and degrees of freedom by
    the first two moments of s^2 (Satterthwaite 1946, DOI 10.2307/3002019).
    """
    # With the covariance C of the units and the projection M to deviations, (n - 1) s^2 has the mean tr MC
    # and the variance 2 tr (MC)^2; rows are those of C, summed.
    of_mean = 1 + 2 * _weigh(phi, n) / n
    rows = (
        n * (1 + phi) ** 2 - 4 * (1 + phi) * _powers(phi, n) + 2 * _powers(phi**2, n) + 2 * n * phi ** (n + 1)
    )
    trace = n - of_mean
    squared = n + 2 * _weigh(phi**2, n) - 2 * rows / (1 - phi) ** 2 / n + of_mean**2
    return Allowance(math.sqrt(of_mean * (n - 1) / trace), trace**2 / squared)


def _powers(q: float, n: int) -> float:
    """Return the sum of q^k, k = 1 ... n."""
    return q * (1 - q**n) / (1 - q)


def _weigh(q: float, n: int) -> float:
    """Return the sum of (n - k) q^k, k = 1 ... n - 1."""
    return q / (1 - q) * (n - (1 - q**n) / (1 - q))
