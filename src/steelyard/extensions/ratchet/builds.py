"""Builds of one source differ: by how much, as the changes of a ledger show, and whether layouts are drawn.

Where the build takes the number of a layout, each block has builds of its own, and what a layout gains is in
the spread of blocks. Where it does not, all blocks compare two builds, and a fast one stays fast in fresh
runs. Then the first looks of a ledger tell by how much builds differ: most changes gain nothing, so that
their gains over one best vary as builds do, and as a first look does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.analysis import TypeB
from steelyard.core.units import BUILTIN
from steelyard.extensions.ratchet.qn_scale import EFFICIENCY, qn_scale
from steelyard.extensions.ratchet.results import Attempt, Ledger
from steelyard.extensions.repository.layouts import LAYOUT

FEWEST: Final = 6
"""Builds from which on their spread is told."""


class BuildSpread(msgspec.Struct, frozen=True):
    """By how much builds of one source differ.

    Attributes
    ----------
    sd : float
        Of the logarithm of a build's speed, what first looks add to it included.
    nu : float
        Degrees of freedom.
    builds : int
    """

    sd: float
    nu: float
    builds: int

    def make_error(self) -> TypeB:
        """Return the error that each of two builds has, and that no number of runs averages out."""
        return TypeB("builds", u=self.sd, relative=True, nu=self.nu)


def draws_layouts(ledger: Ledger) -> bool:
    """Whether each block has builds of its own."""
    return LAYOUT in ledger.build


def is_of_two_builds(ledger: Ledger) -> bool:
    """Whether a gain may be that of a build, and not of its source.

    It may be a time where something is built and nothing draws its layout; memory hardly depends on that.
    """
    return bool(ledger.build) and not draws_layouts(ledger) and BUILTIN[ledger.metric].unit == "s"


def select_builds(attempts: Sequence[Attempt]) -> dict[str, list[float]]:
    """Logarithms of gains of different builds at their first look, by the best of that time."""
    gains: dict[str, dict[str, float]] = {}
    for attempt in attempts:
        if attempt.gain is not None and not attempt.is_same_program:
            gains.setdefault(attempt.against, {}).setdefault(attempt.tree, math.log(attempt.gain))
    return {best: list(of_trees.values()) for best, of_trees in gains.items()}


def estimate_spread(attempts: Sequence[Attempt]) -> BuildSpread | None:
    """Estimate how builds differ, by the changes so far; ``None`` of fewer than ``FEWEST`` builds.

    Each group has a best of its own, which shifts all of its gains: distances are from the median of a group.
    """
    groups = [np.array(values) for values in select_builds(attempts).values() if len(values) > 1]
    builds = sum(values.size for values in groups)
    if builds < FEWEST:
        return None
    freedom = [values.size - 1 for values in groups]
    # A scale for each group, pooled as variances are.
    variances = [qn_scale(values) ** 2 for values in groups]
    sd = math.sqrt(float(np.average(variances, weights=freedom)))
    return BuildSpread(sd, EFFICIENCY * sum(freedom), builds)


def count_missing(attempts: Sequence[Attempt]) -> int:
    """Count the changes that have to be looked at before the spread of builds is told."""
    *earlier, last = [len(gains) for gains in select_builds(attempts).values()] or [0]
    return max(1, FEWEST - last - sum(builds for builds in earlier if builds > 1))
