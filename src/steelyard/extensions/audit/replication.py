"""The replication: levels that looked extreme, against typical ones, in fresh blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.units import Scalar
from steelyard.extensions.audit.results import Replicated, Verdict
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG
from steelyard.stats.distributions.student import t_quantile, two_sided_p
from steelyard.stats.hypothesis.holm import holm

_ROUNDING: Final = 1e-13
"""Spread of logarithms that arithmetic alone can make of values that are the same."""


class LevelPair(msgspec.Struct, frozen=True, eq=False):
    """One level against the typical ones.

    Attributes
    ----------
    differences : array of double
        One a block: log time of the level, minus the mean of the logs of the typical levels.
    """

    name: str
    level: Scalar
    differences: Floats


def replicate(
    pairs: Sequence[LevelPair], *, alpha: float, least: float
) -> tuple[tuple[str, Replicated], ...]:
    """Test each pair against |log ratio| <= log(1 + least), adjusted over all of them, in their order.

    t = (|mean| - log(1 + least)) / (s / sqrt(n)) with n - 1 degrees of freedom, two-sided: one side would do
    at the boundary, but twice it keeps the interval and the test one statement.
    """
    bound = math.log1p(least)
    estimates = [_Estimate.make(pair.differences) for pair in pairs]
    ps = [estimate.p_beyond(bound) for estimate in estimates]
    return tuple(
        (
            pair.name,
            Replicated(
                level=pair.level,
                ratio=math.exp(estimate.mean),
                ci95=estimate.interval(0.05),
                ci_family=estimate.interval(tested.level),
                p=p,
                p_holm=tested.p_holm,
                moves=tested.rejected,
            ),
        )
        for pair, estimate, p, tested in zip(pairs, estimates, ps, holm(ps, alpha), strict=True)
    )


def verdict(replicated: Sequence[Replicated], least: float) -> Verdict:
    """Replicated effects of one kind of context."""
    if any(replication.moves for replication in replicated):
        return "moves"
    low, high = 1 / (1 + least), 1 + least
    inside = all(
        replication.ci_family is not None
        and low <= replication.ci_family.low
        and replication.ci_family.high <= high
        for replication in replicated
    )
    return "within" if inside else "not_resolved"


class _Estimate(msgspec.Struct, frozen=True):
    mean: float
    se: float
    nu: int

    @classmethod
    def make(cls, differences: Floats) -> _Estimate:
        n = differences.size
        se = float(differences.std(ddof=1)) / math.sqrt(n) if np.ptp(differences) > _ROUNDING else 0.0
        return cls(float(differences.mean()), se, n - 1)

    def p_beyond(self, bound: float) -> float:
        excess = abs(self.mean) - bound
        if excess <= 0:
            return 1.0
        # Equal differences in all blocks have no t; they claim what as many equal signs can.
        return two_sided_p(excess / self.se, self.nu) if self.se > 0 else 2.0**-self.nu

    def interval(self, alpha: float) -> Interval | None:
        # So few equal differences leave the ratio open at this level, however alike they are.
        if self.se == 0 and 2.0**-self.nu > alpha:
            return None
        half = t_quantile(self.nu, alpha) * self.se
        if abs(self.mean) + half > LARGEST_LOG:
            return None
        return Interval(math.exp(self.mean - half), math.exp(self.mean + half))
