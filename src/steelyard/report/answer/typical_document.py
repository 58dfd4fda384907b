"""The part ``typical`` of a comparison in the document ``steelyard/comparison``."""

from __future__ import annotations

from typing import Literal

import msgspec

from steelyard.report.ends import Ends, ends
from steelyard.stats.compare.typical import Better, Typical


class BetterEntry(msgspec.Struct, frozen=True):
    """How often the treatment is better; p is Brunner and Munzel's, of pairs of launches."""

    value: float
    ci95: Ends
    method: Literal["share-of-blocks", "share-of-contexts", "share-of-pairs"]
    p: float | None
    permuted: bool


class StandardisedEntry(msgspec.Struct, frozen=True):
    """Mean log-ratio in standard deviations."""

    value: float
    ci95: Ends


class TypicalEntry(msgspec.Struct, frozen=True):
    """Hodges-Lehmann's ratio, above 1 where the treatment is better; in no family, and no verdict."""

    value: float
    ci95: Ends | None
    method: Literal["signed-rank", "rank-sum"]
    n: int
    p: float
    p_method: str
    sign_flip_p: float | None
    better: BetterEntry
    standardised: StandardisedEntry | None
    assumptions: tuple[str, ...]


ASSUMPTIONS = {
    "signed-rank": ("units are independent", "log-ratios lie symmetrically about their centre"),
    "rank-sum": (
        "launches are independent: no drift, no autocorrelation",
        "logarithms differ in place alone",
    ),
}


def entry(typical: Typical) -> TypicalEntry:
    """The part as an object."""
    standardised = typical.standardised
    return TypicalEntry(
        value=typical.value,
        ci95=ends(typical.ci95),
        method=typical.method,
        n=typical.n,
        p=typical.p,
        p_method=typical.p_method,
        sign_flip_p=typical.sign_flip_p,
        better=_better(typical.better),
        standardised=StandardisedEntry(standardised.value, ends(standardised.interval()))
        if standardised
        else None,
        assumptions=ASSUMPTIONS[typical.method],
    )


def _better(better: Better) -> BetterEntry:
    return BetterEntry(better.value, ends(better.ci95), better.method, better.p, better.permuted)
