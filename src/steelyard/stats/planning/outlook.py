"""``Outlook``: what a design could show, before it runs. Numbers only; ``looking_ahead`` makes them."""

from __future__ import annotations

from typing import Literal

import msgspec

Unit = Literal["block", "context", "run"]
Judge = Literal["t", "sign-flip", "sign"]
"""By which the units are tested: their mean, their mean by 7 to 64 flipped signs, or their median."""


class Pilot(msgspec.Struct, frozen=True):
    """The spread that a comparison had in a record that is there; ``treatment`` names it."""

    treatment: str
    s: float


class OutlookRow(msgspec.Struct, frozen=True):
    """For one spread. Numbers are units; ``None`` is more than anybody runs.

    Attributes
    ----------
    s : float
        Of the log ratio of a unit; of a run's logarithm where nothing pairs runs.
    pilot : str or None
        The treatment that had it in the record.
    shows : float or None
        The smallest relative difference that the units planned show with 80 % power.
    needed : tuple
        Units that show each of ``Outlook.differences``.
    precise : int or None
        Units for the precision that the stop rule wants; ``None`` too without one.
    equivalent : int or None
        Units that show, with 90 % power, that equal treatments are within the margin; ``None`` too without
        one.
    """

    s: float
    pilot: str | None
    shows: float | None
    needed: tuple[int | None, ...]
    precise: int | None
    equivalent: int | None


class Outlook(msgspec.Struct, frozen=True):
    """What a design could show.

    Attributes
    ----------
    units : int
        Planned; at the first look of a stop rule.
    comparisons : int
        In the largest family.
    level : float
        At which the first of them is tested by Holm: alpha / comparisons.
    target, margin : float or None
        Of the stop rule, and of the analysis.
    fewest : int or None
        Units from which on a difference can show at all; ``None`` where those planned are as many.
    """

    unit: Unit
    units: int
    comparisons: int
    level: float
    target: float | None
    margin: float | None
    rows: tuple[OutlookRow, ...]
    differences: tuple[float, ...]
    fewest: int | None = None
