"""The distribution of an estimate and of an independent error that t describes, together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import msgspec

from steelyard.results.comparison import Distribution
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG
from steelyard.stats.distributions.student import t_quantile

_HALVINGS: Final = 50


class Widened(msgspec.Struct, frozen=True, eq=False):
    """A distribution of a ratio whose intervals an error of log ratio widens.

    The distances of the ends from the estimate, squared, add on the scale of logarithms (Zou and Donner 2008,
    DOI 10.1002/sim.3095).

    Attributes
    ----------
    log : float
        The estimate.
    u, nu : float
        Standard uncertainty of the error and its degrees of freedom.
    """

    base: Distribution
    log: float
    u: float
    nu: float

    def interval(self, alpha: float) -> Interval | None:
        """Interval of the ratio; ``None`` where the distribution has none."""
        narrow = self.base.interval(alpha)
        if narrow is None or narrow.low <= 0:
            return None
        reach = self._reach(alpha)
        low = self.log - math.hypot(self.log - math.log(narrow.low), reach)
        high = self.log + math.hypot(math.log(narrow.high) - self.log, reach)
        return Interval(math.exp(low), math.exp(high)) if max(-low, high) < LARGEST_LOG else None

    def p_of(self, ratio: float) -> float:
        """Return the smallest level whose interval leaves out ``ratio``, to 1e-12; 1 where none does.

        Also where the distribution has no bound on the other side.
        """
        distance = math.log(ratio) - self.log

        def is_out(alpha: float) -> bool:
            reach = self._reach(alpha)
            if abs(distance) <= reach:
                return False
            rest = math.copysign(math.sqrt(distance**2 - reach**2), distance)
            return self.base.p_of(math.exp(self.log + rest)) <= alpha

        return find_level(is_out)

    def _reach(self, alpha: float) -> float:
        return self.u * t_quantile(self.nu, alpha) if alpha < 1 else 0.0


def find_level(is_out: Callable[[float], bool]) -> float:
    """Return the smallest level at which a ratio is out of the interval, to 1e-12; 1 where it never is."""
    if not is_out(1.0):
        return 1.0
    low, high = math.log(1e-12), 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_out(math.exp(middle)) else (middle, high)
    return math.exp(high)
