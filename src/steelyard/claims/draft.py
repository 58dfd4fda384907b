"""``Draft``: a claim with everything that does not depend on the other claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from steelyard.claims.evidence import BreaksEvidence, Evidence
from steelyard.claims.verdict import Instance
from steelyard.core.units import Scalar


class Undecided(msgspec.Struct, frozen=True):
    """A claim in one stratum, before it is known at which level it is judged.

    Attributes
    ----------
    indicated : {"holds", "fails"} or None
        Which way it goes as soon as it is decided; ``None`` where nothing can decide it.
    p : float
        The smallest two-sided level that decides it; 1 where nothing can.
    at : callable
        The evidence with its interval at a level.
    crowded : bool
        Whether it rests on times of more ranks than CPUs, which decide nothing.
    """

    stratum: Mapping[str, Scalar]
    indicated: Literal["holds", "fails"] | None
    p: float
    at: Callable[[float], Evidence]
    crowded: bool = False


class Draft(msgspec.Struct, frozen=True):
    """Result of one judge: strata that are tested, and instances that a model has settled already."""

    tested: tuple[Undecided, ...] = ()
    settled: tuple[Instance, ...] = ()
    breaks: tuple[BreaksEvidence, ...] = ()
