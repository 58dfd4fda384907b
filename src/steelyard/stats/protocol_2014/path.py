"""Selection of the test that a pair takes: the decision table of docs/statistics.md, "The protocol"."""

from __future__ import annotations

from typing import Final, Literal

from steelyard.stats.protocol_2014.checks import Checks

Path = Literal["student", "welch", "shift", "order", "degenerate", "constant"]
"""``shift`` and ``order`` are both Mann-Whitney: with shapes that agree it speaks of a shift, otherwise only
of which sample tends to be larger. ``degenerate``: Mann-Whitney too, since a sample has no shape.
``constant``: both samples are, and no test exists.
"""
Test = Literal["student", "welch", "mann-whitney"]

TEST_OF: Final[dict[Path, Test | None]] = {
    "student": "student",
    "welch": "welch",
    "shift": "mann-whitney",
    "order": "mann-whitney",
    "degenerate": "mann-whitney",
    "constant": None,
}


def choose(checks: Checks, alpha: float) -> Path:
    """The row of the table for two samples that each have a shape."""
    if checks.normal(alpha):
        return "student" if checks.equal_variances(alpha) else "welch"
    return "shift" if checks.equal_shapes(alpha) else "order"
