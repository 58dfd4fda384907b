"""Points of one parameter, with what is known of their noise."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Points(msgspec.Struct, frozen=True):
    """Points of one parameter in ascending order, and their values.

    Attributes
    ----------
    u2 : sequence of float
        Squares of the standard uncertainties by noise, with ``freedom`` degrees of freedom.
    variance : sequence of float
        … by noise and by what formulas miss.
    """

    scales: Sequence[float]
    values: Sequence[float]
    u2: Sequence[float]
    freedom: float
    variance: Sequence[float]
