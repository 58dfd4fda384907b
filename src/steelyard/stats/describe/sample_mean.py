"""``SampleMean``: the mean of one treatment, with an interval that allows for what runs do not show.

No test of a mean keeps its level for every distribution (Bahadur and Savage 1956, DOI
10.1214/aoms/1177728077). Three departures from independent normal values are allowed for, each where it
makes the interval wider (docs/decisions/comparing/213-limits-of-a-mean.md): neighbours in time that are
correlated, a long tail, and slow runs that have not shown.
"""

from __future__ import annotations

import math
from typing import Final, Literal

import msgspec

from steelyard.results.interval import Interval
from steelyard.results.samples import Autocorrelation
from steelyard.stats.describe.dependence import Allowance, allowance_in_time
from steelyard.stats.distributions.skewed import invert, transform
from steelyard.stats.distributions.student import t_quantile, two_sided_p

SLOW: Final = 2.0
"""Times the mean that an unseen slow run is taken to last."""
SKEWER: Final = 1.5
"""Standard errors of the skewness, sqrt(6 / n), by which it is taken for larger than it was seen."""


class SampleMean(msgspec.Struct, frozen=True):
    """An arithmetic mean, in the metric's unit.

    Attributes
    ----------
    s : float
        Standard deviation of the units; 0 where all are equal.
    n, runs : int
        Units of inference, and draws of which each could have been slow.
    positive : bool
        No unit is below 0, as of a time or a size, so that no interval reaches below either.
    correlation : Autocorrelation or None
        Of the units in the order of time; ``None`` where their order was drawn, or tells nothing.
    skewness : float
        Of the units.
    slow : {"above", "below"} or None
        On which side of the mean slow runs lie; ``None`` where none are allowed for.
    """

    value: float
    s: float
    n: int
    runs: int = 0
    positive: bool = False
    correlation: Autocorrelation | None = None
    skewness: float = 0.0
    slow: Literal["above", "below"] | None = None

    @property
    def u(self) -> float:
        """The standard uncertainty of the mean, s / sqrt(n)."""
        return self.s / math.sqrt(self.n)

    def observed_interval(self, alpha: float = 0.05) -> Interval:
        """Return the interval at level 1 - ``alpha``, of runs like those that were seen.

        By t, and by t of skewed values on both sides, with the standard error that correlated neighbours
        leave.
        """
        spread = self._spread
        se, reach = self.u * spread.factor, t_quantile(spread.nu, alpha)
        right, lower = self._tails
        above = max(reach, -invert(-reach, right))
        below = max(reach, invert(reach, -lower))
        low = self.value - se * below
        return Interval(max(low, 0.0) if self.positive else low, self.value + se * above)

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """Interval at level 1 - ``alpha``, unseen slow runs included.

        Of equal values, it is the value itself, where so many equal ones are that rare by chance (sign test,
        2^(1-n)); ``None`` where they are too few.
        """
        if self.s == 0:
            return Interval(self.value, self.value) if 2.0 ** (1 - self.n) <= alpha else None
        interval = self.observed_interval(alpha)
        reach = self.value * (1 + self.unseen(alpha) * (self._pace - 1))
        if not self.slow_towards(reach):
            return interval
        return Interval(min(interval.low, reach), max(interval.high, reach))

    def p_of(self, bound: float) -> float:
        """Two-sided p of the hypothesis that the mean is ``bound``.

        It is at most alpha exactly when the interval at that level excludes it.
        """
        if self.s == 0:
            return 1.0 if self.value == bound else 2.0 ** (1 - self.n)
        spread = self._spread
        t = (self.value - bound) / (self.u * spread.factor)
        right, lower = self._tails
        skewed = min(0.0, transform(t, right)) if t < 0 else max(0.0, transform(t, -lower))
        return max(two_sided_p(t, spread.nu), two_sided_p(skewed, spread.nu), self.p_of_slow(bound))

    def slow_towards(self, bound: float) -> bool:
        """Whether unseen slow runs could move the mean to ``bound``."""
        side = bound - self.value if self.slow == "above" else self.value - bound
        return self.slow is not None and self.s > 0 and self.value > 0 and side >= 0

    def unseen(self, alpha: float = 0.05) -> float:
        """Return the largest share of runs that can be slow and show in none.

        The probability of that is ``alpha`` / 2.
        """
        return -math.expm1(math.log(alpha / 2) / self.runs)

    def p_of_slow(self, bound: float) -> float:
        """Two-sided p that slow runs which would move the mean to ``bound`` all went unseen.

        It is 0 on the side where there are none.
        """
        if not self.slow_towards(bound) or (share := self._share_to(bound)) >= 1:
            return 0.0
        return min(1.0, 2 * math.exp(self.runs * math.log1p(-share)))

    def runs_to_exclude(self, bound: float, alpha: float = 0.05) -> int:
        """Return the number of runs after which ``bound`` is out of reach of slow runs.

        That is at level 1 - ``alpha``; ``bound`` is not the mean, and lies on the side of slow runs.
        """
        share = self._share_to(bound)
        return 1 if share >= 1 else math.ceil(math.log(alpha / 2) / math.log1p(-share))

    def _share_to(self, bound: float) -> float:
        """Return the share of slow runs that moves the mean to ``bound``."""
        return abs(bound / self.value - 1) / abs(self._pace - 1)

    @property
    def _pace(self) -> float:
        """Value of a slow run over the mean."""
        return SLOW if self.slow == "above" else 1 / SLOW

    @property
    def _spread(self) -> Allowance:
        return Allowance(1.0, self.n - 1) if self.correlation is None else allowance_in_time(self.correlation)

    @property
    def _tails(self) -> tuple[float, float]:
        """Skewness over sqrt(n) that is allowed for to the right and to the left; at least 0, no skew."""
        correction = SKEWER * math.sqrt(6 / self.n)
        return (
            max(0.0, self.skewness + correction) / math.sqrt(self.n),
            max(0.0, correction - self.skewness) / math.sqrt(self.n),
        )
