"""The headline of a gate that decided nothing, which is green unless it is strict."""

from __future__ import annotations


def write_undecided(*, strict: bool) -> str:
    """Return what a reader has to know first."""
    return "nothing was decided" if strict else "nothing was decided: this gate let everything pass"
