"""Contributions of Type B errors, which repetition does not show, to a ratio and its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.analysis import TypeB
from steelyard.core.arrays import Floats
from steelyard.results.budget import Side
from steelyard.results.comparison import Distribution, Speedup
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.speedup import EqualUnits
from steelyard.stats.distributions.student import AS_NORMAL, LogT, t_quantile
from steelyard.stats.hypothesis.sign_flips import SignFlips
from steelyard.stats.uncertainty.propagation import effective_freedom

"""Whose values an error moves."""


BEYOND: Final = 0.01
"""Of cases, in which stated errors are larger than is allowed for, where no distribution takes them."""


class Contribution(msgspec.Struct, frozen=True):
    """Contribution of a Type B error to log S: through the numerator, the denominator, or both at once.

    Attributes
    ----------
    sensitivity : float
        Of log S, per unit of the error.
    """

    component: TypeB
    side: Side
    sensitivity: float

    @property
    def u(self) -> float:
        """Standard uncertainty of log S, without its sign."""
        return abs(self.sensitivity) * self.component.standard


def contributions(contrast: Contrast, components: Sequence[TypeB], *, logs: bool) -> tuple[Contribution, ...]:
    """Return what stated errors contribute to a logarithm.

    An absolute error e moves a mean of logarithms by e times the mean of 1/x, the log of a mean by e over the
    mean; a relative one moves either by e. Shared errors partly cancel, relative ones entirely.

    Parameters
    ----------
    logs : bool
        The estimate is of mean logarithms, not of means.
    """
    old, new = (contrast.sign * _per_unit(raws, logs=logs) for raws in (contrast.old.raws, contrast.new.raws))
    parts: list[Contribution] = []
    for component in components:
        by_old, by_new = (contrast.sign, contrast.sign) if component.relative else (old, new)
        if component.shared:
            parts.append(Contribution(component, "both", by_old - by_new))
        else:
            parts += [
                Contribution(component, "baseline", by_old),
                Contribution(component, "treatment", -by_new),
            ]
    return tuple(parts)


def contributions_of_ratio(
    numerator: Contrast, denominator: Contrast, components: Sequence[TypeB], *, logs: bool
) -> tuple[Contribution, ...]:
    """Return the same of log S_numerator - log S_denominator.

    There is an error of its own in each of four treatments, or one that all four share, of which little is
    left.
    """
    over = contributions(numerator, components, logs=logs)
    under = [
        replace(contribution, sensitivity=-contribution.sensitivity)
        for contribution in contributions(denominator, components, logs=logs)
    ]
    return tuple(
        part
        for first, second in zip(over, under, strict=True)
        for part in (
            (replace(first, sensitivity=first.sensitivity + second.sensitivity),)
            if first.component.shared
            else (first, second)
        )
    )


def add_type_b(ratio: Speedup, parts: Sequence[Contribution]) -> Speedup | Undefined:
    """Return the estimate with its Type A and Type B uncertainties together, nu by Welch-Satterthwaite.

    Only for estimates that vary by t on log S or by flipped signs, or not at all: the distributions of the
    others have no place for it.
    """
    if not isinstance(ratio.distribution, LogT | SignFlips | EqualUnits) or not any(part.u for part in parts):
        return ratio
    u_type_b = math.hypot(*(part.u for part in parts))
    if u_type_b > LARGEST_LOG:  # against values of next to nothing
        return Undefined("out_of_range")
    own_nu = effective_freedom([p.u for p in parts], [p.component.nu for p in parts])
    if ratio.nu is None:
        # Units that do not differ at all, by the stated error, as far as their number can say anything.
        least = ratio.distribution.p_of(2.0 if ratio.log == 0 else 1.0)
        stated = LogT(ratio.log, u_type_b, min(own_nu or AS_NORMAL, AS_NORMAL), least)
        return replace(ratio, se=u_type_b, p=stated.p_of(1.0), distribution=stated)
    u = math.hypot(ratio.se, u_type_b)
    freedom = effective_freedom(
        [ratio.se, *(p.u for p in parts)], [ratio.nu, *(p.component.nu for p in parts)]
    )
    nu = min(freedom or AS_NORMAL, AS_NORMAL)
    distribution: Distribution = LogT(ratio.log, u, nu, ratio.least_p)
    if isinstance(ratio.distribution, SignFlips):
        distribution = ratio.distribution.add_error(u_type_b, own_nu or math.inf, nu)
    return replace(ratio, se=u, nu=nu, p=distribution.p_of(1.0), distribution=distribution)


def bound_error(parts: Sequence[Contribution]) -> float:
    """Return how far stated errors move log S in all but ``BEYOND`` of cases."""
    u = math.hypot(*(part.u for part in parts))
    nu = effective_freedom([part.u for part in parts], [part.component.nu for part in parts])
    return t_quantile(min(nu or AS_NORMAL, AS_NORMAL), BEYOND) * u if u else 0.0


def _per_unit(raws: Floats, *, logs: bool) -> float:
    # A subnormal value has no reciprocal in the range of double: the error is infinitely larger than it.
    with np.errstate(over="ignore", divide="ignore"):
        return float((1 / raws).mean()) if logs else float(1 / raws.mean())
