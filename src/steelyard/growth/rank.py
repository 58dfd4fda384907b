"""Deviation limits and match ranks of seed 001 (DOI 10.1109/TPDS.2019.2896993, § 2.3 and Fig. 3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import msgspec

from steelyard.growth.term import Growth, GrowthClass

Rank = Literal["match", "approximate", "none"]


class Limits(msgspec.Struct, frozen=True):
    """``lower`` = E/D and ``upper`` = E·D, both inside; the search space ends at ``bound`` = E²."""

    lower: Growth
    upper: Growth
    bound: Growth


def default_deviation(expectation: Growth) -> Growth:
    """D: the leading exponent halved, within its class."""
    if expectation.kind is GrowthClass.EXPONENTIAL:
        return Growth(exp2=abs(expectation.exp2) / 2)
    if expectation.kind is GrowthClass.POLYNOMIAL:
        return Growth(power=abs(expectation.power) / 2)
    return Growth(log=abs(expectation.log) / 2)


def limits(expectation: Growth, deviation: Growth | None = None) -> Limits:
    """The deviation limits, with the default deviation where none is given."""
    wide = default_deviation(expectation) if deviation is None else deviation
    return Limits(expectation / wide, expectation * wide, expectation ** Fraction(2))


def rank(model: Growth, expectation: Growth, deviation: Growth | None = None) -> Rank:
    """The asymptotic rank: match with the same leading term, approximate within the limits, else none."""
    if model == expectation:
        return "match"
    allowed = limits(expectation, deviation)
    return "approximate" if allowed.lower <= model <= allowed.upper else "none"


def rank_at(model: Growth, expectation: Growth, scale: float, deviation: Growth | None = None) -> Rank:
    """The rank as it stands at ``scale``: leading terms with coefficient 1 are compared by value there.

    A model outside the limits for large x can be inside them at every scale that exists: p^0.25 stays below
    log2 p up to p = 65,536.
    """
    if model == expectation:
        return "match"
    allowed = limits(expectation, deviation)
    value = model.at(scale)
    # Inclusive, and p^0.25 = log2 p at 65,536 must not hang on the last bit.
    slack = 1 + 1e-9
    inside = allowed.lower.at(scale) / slack <= value <= allowed.upper.at(scale) * slack
    return "approximate" if inside else "none"
