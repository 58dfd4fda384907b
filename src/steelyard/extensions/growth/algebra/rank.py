"""Deviation limits and match ranks of Shudler et al. 2019 (DOI 10.1109/TPDS.2019.2896993, § 2.3 and Fig. 3).

Seed 001 hunts bugs, and its default deviation halves the leading exponent: n^3 is then "approximately" n^2. A
gate must not let the next power through; its default is one logarithmic factor. An expectation may also be an
upper bound, which whatever grows more slowly keeps.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal

import msgspec

from steelyard.extensions.growth.algebra.term import Growth, GrowthClass

Rank = Literal["match", "approximate", "none"]

LOGARITHM: Final = Growth.make(0, 1)


class Limits(msgspec.Struct, frozen=True):
    """``lower`` = E/D and ``upper`` = E·D, both inside; the search space ends at ``bound`` = E²."""

    lower: Growth
    upper: Growth
    bound: Growth


def half_deviation(expectation: Growth) -> Growth:
    """D as published: the leading exponent halved, within its class."""
    if expectation.kind is GrowthClass.EXPONENTIAL:
        return Growth(exp2=abs(expectation.exp2) / 2)
    if expectation.kind is GrowthClass.POLYNOMIAL:
        return Growth(power=abs(expectation.power) / 2)
    return Growth(log=abs(expectation.log) / 2)


def default_deviation(expectation: Growth) -> Growth:
    """D of a gate: one logarithmic factor, and never wider than ``half_deviation``."""
    return min(LOGARITHM, half_deviation(expectation))


def limits(expectation: Growth, deviation: Growth | None = None) -> Limits:
    """Return the deviation limits, with the default deviation where none is given."""
    wide = default_deviation(expectation) if deviation is None else deviation
    return Limits(expectation / wide, expectation * wide, expectation ** Fraction(2))


def rank(
    model: Growth, expectation: Growth, deviation: Growth | None = None, *, at_most: bool = False
) -> Rank:
    """Return the asymptotic rank: match with the same leading term, approximate within the limits, else none.

    Parameters
    ----------
    at_most : bool
        The expectation is an upper bound: what grows no faster is a match, and there is no lower limit.
    """
    if model == expectation or (at_most and model < expectation):
        return "match"
    allowed = limits(expectation, deviation)
    above_lower = at_most or allowed.lower <= model
    return "approximate" if above_lower and model <= allowed.upper else "none"


def rank_at(
    model: Growth,
    expectation: Growth,
    scale: float,
    deviation: Growth | None = None,
    *,
    at_most: bool = False,
) -> Rank:
    """Return the rank as it stands at ``scale``.

    Leading terms with coefficient 1 are compared by value there.

    A model outside the limits for large x can be inside them at every scale that exists: p^0.25 stays below
    log2 p up to p = 65,536.
    """
    if model == expectation:
        return "match"
    allowed = limits(expectation, deviation)
    value = model.at(scale)
    # Inclusive, and p^0.25 = log2 p at 65,536 must not hang on the last bit.
    slack = 1 + 1e-9
    if at_most and value <= expectation.at(scale) * slack:
        return "match"
    above_lower = at_most or allowed.lower.at(scale) / slack <= value
    return "approximate" if above_lower and value <= allowed.upper.at(scale) * slack else "none"
