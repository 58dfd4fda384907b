"""Outcomes of tests of two samples."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from steelyard.results.document import Lines
from steelyard.results.interval import Interval

Alternative = Literal["two-sided", "less", "greater"]
"""First sample compared with the second, if the hypothesis of no difference is wrong."""


class TestOutcome(msgspec.Struct, frozen=True):
    """Statistic and p-value of one test of two samples.

    Attributes
    ----------
    method : str
        How p was found, where a test has several ways: ``exact``, ``exact-ties``, ``normal``, ``t``.
    nu : float or None
        Degrees of freedom, where the distribution has them.
    """

    __test__ = False  # its name begins as a test's does

    statistic: float
    p: float
    method: str
    nu: float | None = None


class KolmogorovSmirnov(msgspec.Struct, frozen=True):
    """D, the largest distance of the two empirical distribution functions, and its two-sided p."""

    d: float
    p: float
    method: Literal["exact", "exact-ties", "limit"]


class Normality(msgspec.Struct, frozen=True):
    """Shapiro and Wilk's W (1965, DOI 10.1093/biomet/52.3-4.591).

    Attributes
    ----------
    n : int
        Values that were looked at.
    """

    w: float
    p: float
    n: int
    __lines__: ClassVar[Lines] = ("w", "p")


class VarianceRatio(msgspec.Struct, frozen=True):
    """F, the variance of the first sample over that of the second, with its degrees of freedom.

    Attributes
    ----------
    p : float
        Twice the smaller tail.
    """

    f: float
    p: float
    nu_first: int
    nu_second: int
    __lines__: ClassVar[Lines] = ("f", "p")


class Shift(msgspec.Struct, frozen=True):
    """Median of all differences, second minus first, in the unit of the values.

    Attributes
    ----------
    ci95 : Interval or None
        Shifts that the two-sided rank sum test does not reject; ``None`` where it can reject nothing.
    """

    value: float
    ci95: Interval | None
