"""``Budget``: the components of the uncertainty of a speedup."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import msgspec

from steelyard.results.document import Lines

Side = Literal["baseline", "treatment", "both"]


class Component(msgspec.Struct, frozen=True):
    """One line of a budget: an uncertainty, and what it adds to that of log S.

    Attributes
    ----------
    kind : {"A", "B"}
        Estimated from repetition, or stated (GUM 4.2, 4.3).
    side : {"baseline", "treatment", "both"}
    value : float or None
        The estimate that it is the uncertainty of, in the unit of the metric; ``None`` for a covariance and
        for what is shared.
    u : float
        Standard uncertainty, in the unit of the metric, or relative where ``relative``; of a covariance the
        square root of its size.
    sensitivity : float
        Of log S per unit of ``u``.
    variance : float
        What it adds to the variance of log S; below 0 for what pairing takes away.
    nu : float or None
        Degrees of freedom; ``None``: infinitely many, or those of the pair that it belongs to.
    """

    name: str
    kind: Literal["A", "B"] = msgspec.field(name="type")
    side: Side
    value: float | None
    u: float
    relative: bool
    sensitivity: float
    variance: float
    nu: float | None

    @property
    def contribution(self) -> float:
        """|c| u with the sign of what it adds: relative uncertainty of S."""
        return math.copysign(math.sqrt(abs(self.variance)), self.variance)


class Expanded(msgspec.Struct, frozen=True):
    """A standard uncertainty, expanded to an interval.

    Attributes
    ----------
    u : float
        Combined standard uncertainty.
    nu : float
        Effective degrees of freedom.
    k : float
        Coverage factor, the quantile of t.
    expanded : float
        k u: U95 at the level of 95 %.
    """

    u: float
    nu: float
    k: float
    expanded: float


class Budget(msgspec.Struct, frozen=True):
    """The lines, and what they come to by Eq. 13 of the GUM on log S: relative uncertainties of S."""

    components: tuple[Component, ...]
    total: Expanded
    __lines__: ClassVar[Lines] = (
        "components",
        "u_relative=total.u",
        "nu=total.nu",
        "k=total.k",
        "u95_relative=total.expanded",
    )
