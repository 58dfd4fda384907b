"""``Rules``: what the paper leaves open, and how it is settled (docs/statistics.md, "The protocol")."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from steelyard.analysis import Analysis

NAME: Final = "nogueira-matias-2014"

Direction = Literal["two-sided", "faster"]
OnShape = Literal["flag", "veto"]


class Rules(msgspec.Struct, frozen=True):
    """The protocol's parameters.

    Attributes
    ----------
    alpha : float
        Of every test of an assumption, of every comparison, and of the family.
    direction : {"two-sided", "faster"}
        ``faster`` tests whether the treatment is better than its baseline, and shows nothing else; it must
        have been declared before the run.
    on_shape : {"flag", "veto"}
        What becomes of a rank test between samples of different shape.
    """

    alpha: float = 0.05
    direction: Direction = "two-sided"
    on_shape: OnShape = "flag"

    @classmethod
    def of(cls, analysis: Analysis) -> Rules:
        """Return the rules that an experiment declared."""
        return cls(analysis.alpha, analysis.alternative, analysis.ks_policy)
