"""Contributions of Type B errors, which repetition does not show, to a ratio and its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.analysis import TypeB
from steelyard.answers.interval import Interval
from steelyard.answers.undefined import LARGEST_LOG, Undefined
from steelyard.arrays import Floats
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.speedup import Speedup, smallest_exact_p
from steelyard.stats.distributions.sign_flips import SignFlips
from steelyard.stats.distributions.student import AS_NORMAL, t_quantile, two_sided_p
from steelyard.stats.uncertainty.propagation import effective_freedom

Side = Literal["baseline", "treatment", "both"]
"""The treatments whose values an error moves."""


class Contribution(msgspec.Struct, frozen=True):
    """Contribution of a Type B error to log S: through the numerator, the denominator, or both at once.

    Attributes
    ----------
    sensitivity : float
        Of log S, per unit of the error.
    """

    of: TypeB
    side: Side
    sensitivity: float

    @property
    def u(self) -> float:
        """Standard uncertainty of log S, without its sign."""
        return abs(self.sensitivity) * self.of.standard


def contributions(contrast: Contrast, components: Sequence[TypeB], *, logs: bool) -> tuple[Contribution, ...]:
    """An absolute error e moves a mean of logarithms by e times the mean of 1/x, the log of a mean by e over
    the mean; a relative one moves either by e. Shared errors partly cancel, relative ones entirely.

    Parameters
    ----------
    logs : bool
        The estimate is of mean logarithms, not of means.
    """
    old, new = (contrast.sign * _per_unit(raws, logs=logs) for raws in (contrast.old.raws, contrast.new.raws))
    found: list[Contribution] = []
    for each in components:
        one, other = (contrast.sign, contrast.sign) if each.relative else (old, new)
        if each.shared:
            found.append(Contribution(each, "both", one - other))
        else:
            found += [Contribution(each, "baseline", one), Contribution(each, "treatment", -other)]
    return tuple(found)


def contributions_of_ratio(
    numerator: Contrast, denominator: Contrast, components: Sequence[TypeB], *, logs: bool
) -> tuple[Contribution, ...]:
    """The same of log S_numerator - log S_denominator: an error of its own in each of four treatments, or one
    that all four share, of which little is left.
    """
    over = contributions(numerator, components, logs=logs)
    under = [
        replace(each, sensitivity=-each.sensitivity)
        for each in contributions(denominator, components, logs=logs)
    ]
    return tuple(
        part
        for one, other in zip(over, under, strict=True)
        for part in (
            (replace(one, sensitivity=one.sensitivity + other.sensitivity),)
            if one.of.shared
            else (one, other)
        )
    )


def with_type_b(ratio: Speedup, parts: Sequence[Contribution]) -> Speedup | Undefined:
    """The estimate with its Type A and Type B uncertainties together, nu by Welch-Satterthwaite.

    Only for estimates that vary by t on log S or by flipped signs, or not at all: the distributions of the
    others have no place for it.
    """
    flips = ratio.distribution if isinstance(ratio.distribution, SignFlips) else None
    if ratio.distribution is not flips or not any(part.u for part in parts):
        return ratio
    own = math.hypot(*(part.u for part in parts))
    if own > LARGEST_LOG:  # against values of next to nothing
        return Undefined("out_of_range")
    own_nu = effective_freedom([p.u for p in parts], [p.of.nu for p in parts])
    if ratio.nu is None:
        least = ratio.p if ratio.log else smallest_exact_p(ratio.method, ratio.n)
        stated = Stated(ratio.log, own, min(own_nu or AS_NORMAL, AS_NORMAL), least)
        return replace(ratio, se=own, p=stated.p_of(1.0), distribution=stated)
    u = math.hypot(ratio.se, own)
    freedom = effective_freedom([ratio.se, *(p.u for p in parts)], [ratio.nu, *(p.of.nu for p in parts)])
    nu = min(freedom or AS_NORMAL, AS_NORMAL)
    if flips is not None:
        distribution = flips.with_error(own, own_nu or math.inf, nu)
        return replace(ratio, se=u, nu=nu, p=distribution.p_of(1.0), distribution=distribution)
    p = max(ratio.least_p, two_sided_p(ratio.log / u, nu))
    return replace(ratio, se=u, nu=nu, p=p)


class Stated(msgspec.Struct, frozen=True):
    """Units that do not differ at all, with a stated error: by t, as far as their number can say anything.

    Attributes
    ----------
    u, nu : float
        Standard uncertainty of the error, and its degrees of freedom.
    least : float
        The p of as many equal signs: no hypothesis has a smaller one.
    """

    log: float
    u: float
    nu: float
    least: float

    def p_of(self, ratio: float) -> float:
        """By the stated error; no smaller than what the number of units can show."""
        return max(self.least, two_sided_p((self.log - math.log(ratio)) / self.u, self.nu))

    def interval(self, alpha: float) -> Interval | None:
        """``None`` where the units are too few to say anything at that level."""
        half = t_quantile(self.nu, alpha) * self.u
        if self.least > alpha or abs(self.log) + half > LARGEST_LOG:
            return None
        return Interval(math.exp(self.log - half), math.exp(self.log + half))


def _per_unit(raws: Floats, *, logs: bool) -> float:
    # A subnormal value has no reciprocal in the range of double: the error is infinitely larger than it.
    with np.errstate(over="ignore", divide="ignore"):
        return float((1 / raws).mean()) if logs else float(1 / raws.mean())
