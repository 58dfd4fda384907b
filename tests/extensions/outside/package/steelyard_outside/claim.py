"""``many``: a metric has at least so many values."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from steelyard.api.extensions import Claim, Draft, Evidence, Observed, Undecided


class Many(Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="many", tag_field="kind"):
    """The metric ``many`` has at least ``least`` values in each treatment."""

    many: str
    least: int = 1
    name: str | None = None

    def check_against(self, question: Any, origin: Any, path: Any) -> Many:
        """Return the claim as it is."""
        return self


class Count(Evidence, frozen=True):
    """How many values there are."""

    n: int


def judge_many(claim: Many, observed: Observed) -> Draft:
    """Judge by counting."""
    return Draft(
        tuple(
            Undecided(
                sample.treatment.levels,
                "holds" if len(sample.values) >= claim.least else "fails",
                0.0,
                partial(_count, len(sample.values)),
            )
            for sample in observed.samples(claim.many)
        )
    )


def _count(n: int, _level: float) -> Count:
    return Count(n)


def text(claim: Many, unit: str) -> str:
    """Return what is claimed."""
    return f"{claim.many} has {claim.least} values"


def evidence(claim: Many, outcome: str, value: Count) -> str:
    """Return what was counted."""
    return f"{value.n} values"
