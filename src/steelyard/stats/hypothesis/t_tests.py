"""Student's and Welch's t of two independent samples."""

from __future__ import annotations

import math

import msgspec

from steelyard.core.arrays import Floats
from steelyard.core.special import student_cdf
from steelyard.results.hypothesis import Alternative, TestOutcome


class Moments(msgspec.Struct, frozen=True):
    """Size, mean and variance (with n - 1) of a sample."""

    n: int
    mean: float
    variance: float

    @classmethod
    def make(cls, values: Floats) -> Moments:
        """Compute from two values or more."""
        return cls(values.size, float(values.mean()), float(values.var(ddof=1)))


class MeanDifference(msgspec.Struct, frozen=True):
    """Mean of the first sample minus mean of the second, with standard error and degrees of freedom."""

    estimate: float
    se: float
    nu: float

    def test(self, alternative: Alternative = "two-sided") -> TestOutcome:
        """Test the difference against 0."""
        t = self.estimate / self.se
        return TestOutcome(t, t_p(t, self.nu, alternative), "t", self.nu)


def student(first: Moments, second: Moments) -> MeanDifference | None:
    """Student's t, with the pooled variance and n_1 + n_2 - 2 degrees of freedom.

    ``None`` without any spread.
    """
    nu = first.n + second.n - 2
    pooled = ((first.n - 1) * first.variance + (second.n - 1) * second.variance) / nu
    se = math.sqrt(pooled * (1 / first.n + 1 / second.n))
    return MeanDifference(first.mean - second.mean, se, nu) if se > 0 else None


def welch(first: Moments, second: Moments) -> MeanDifference | None:
    """Welch's t, with separate variances and Welch-Satterthwaite degrees of freedom.

    ``None`` without any spread.
    """
    a, b = first.variance / first.n, second.variance / second.n
    if a + b <= 0:
        return None
    # As shares, so that squares of very small variances do not vanish.
    share = a / (a + b)
    nu = 1 / (share**2 / (first.n - 1) + (1 - share) ** 2 / (second.n - 1))
    return MeanDifference(first.mean - second.mean, math.sqrt(a + b), nu)


def t_p(t: float, nu: float, alternative: Alternative) -> float:
    """Return the p value of a t statistic; a positive one speaks for ``greater``."""
    if alternative == "two-sided":
        return min(1.0, 2 * student_cdf(nu, -abs(t)))
    return student_cdf(nu, t if alternative == "less" else -t)
