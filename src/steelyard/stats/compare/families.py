"""Families of comparisons: which are adjusted together, and for what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from steelyard.core.analysis import Analysis
from steelyard.core.units import Scalar
from steelyard.stats.hypothesis.false_discovery import benjamini_hochberg
from steelyard.stats.hypothesis.holm import Tested, holm

WIDE_FROM: Final = 4
"""Strata from which on all are one family by default: three families at 5 % each are wrong in up to 14 %."""

Adjustment = Callable[[Sequence[float], float], tuple[Tested, ...]]


def families(strata: Sequence[Mapping[str, Scalar]], declared: Analysis) -> list[list[int]]:
    """Places of the comparisons of each family, given the stratum of each comparison."""
    members: dict[tuple[tuple[str, Scalar], ...], list[int]] = {}
    for i, stratum in enumerate(strata):
        members.setdefault(tuple(stratum.items()), []).append(i)
    wide = declared.family_over == "experiment" or (
        declared.family_over is None and len(members) >= WIDE_FROM
    )
    return (
        [sorted(i for group in members.values() for i in group)] if wide and members else [*members.values()]
    )


def adjustment(declared: Analysis) -> Adjustment:
    """Return the adjustment that the declared error rate asks for."""
    return benjamini_hochberg if declared.error_rate == "false-discovery" else holm
