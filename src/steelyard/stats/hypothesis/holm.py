"""Holm's step-down adjustment of a family of tests, and the level at which each member was tested."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np


class Tested(msgspec.Struct, frozen=True):
    """One member of a family.

    Attributes
    ----------
    p_holm : float
        Running maximum of (k - j + 1) p_(j), at most 1; rejected exactly when it is at most alpha.
    level : float
        alpha / (k - j + 1) at the member's own step; after the first failure, that of the failure. An
        interval at this level excludes the hypothesis exactly when it was rejected.
    """

    p: float
    p_holm: float
    rejected: bool
    level: float


def holm(p_values: Sequence[float], alpha: float = 0.05) -> tuple[Tested, ...]:
    """Return the family in the order given (Holm 1979, Scand. J. Statist. 6, 65-70).

    Tied p-values are rejected together, at the same level.
    """
    p = np.asarray(p_values, dtype=np.float64)
    k = p.size
    if k == 0:
        return ()
    order = np.argsort(p, kind="stable")
    ascending = p[order]
    # Ties are tested at the strictest level among them, so that the order of the family does not matter.
    steps = k - np.searchsorted(ascending, ascending, side="left")
    adjusted = np.minimum(1.0, np.maximum.accumulate(steps * ascending))
    levels = alpha / steps
    failure = int((adjusted <= alpha).sum())
    levels[failure:] = levels[min(failure, k - 1)]
    place = np.argsort(order, kind="stable")
    return tuple(
        Tested(float(ascending[j]), float(adjusted[j]), bool(adjusted[j] <= alpha), float(levels[j]))
        for j in place
    )
