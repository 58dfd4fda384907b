"""Errors that repetition does not show: they stay the same from run to run, so that no number of runs
averages them out (GUM 4.3, Type B).
"""

from __future__ import annotations

import msgspec


class TypeB(msgspec.Struct, frozen=True):
    """One error of the values of a metric, by its standard uncertainty.

    Attributes
    ----------
    u : float
        In the unit of the metric, or relative to the value.
    relative : bool
    shared : bool
        The same error in all treatments, as that of one clock is; otherwise one of its own in each.
    nu : float or None
        Degrees of freedom of ``u``; ``None``: taken as exact.
    measured : bool
        From the record, and not stated in the spec.
    """

    name: str
    u: float
    relative: bool = False
    shared: bool = False
    nu: float | None = None
    measured: bool = False
