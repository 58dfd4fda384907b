"""Midranks, and how often values are equal."""

from __future__ import annotations

import msgspec
import numpy as np

from steelyard.core.arrays import Floats


class Ranks(msgspec.Struct, frozen=True, eq=False):
    """Ranks from 1; equal values share the mean of theirs.

    Attributes
    ----------
    tie_term : float
        Sum of t^3 - t over groups of t equal values; 0 without ties.
    """

    ranks: Floats
    tie_term: float

    @property
    def tied(self) -> bool:
        """Whether any two values are equal."""
        return self.tie_term > 0


def midranks(values: Floats) -> Ranks:
    """Return the ranks of an array, in its order."""
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    starts = np.flatnonzero(np.concatenate(([True], ascending[1:] != ascending[:-1])))
    counts = np.diff(starts, append=values.size).astype(np.float64)
    ranks = np.empty(values.size)
    ranks[order] = np.repeat(starts + (counts + 1) / 2, counts.astype(np.intp))
    return Ranks(ranks, float((counts**3 - counts).sum()))
