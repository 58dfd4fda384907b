"""What is claimed, in the words of a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from steelyard.report.text.digits import percent
from steelyard.report.text.label import printable
from steelyard.spec.claims.claim import (
    Best,
    Claim,
    Equivalent,
    Faster,
    Limit,
    Rule,
    Scales,
    Slower,
    Unperturbed,
    Validates,
)
from steelyard.units import Scalar, format_quantity


def claim_text(claim: Claim, unit: str = "") -> str:
    """``O3 faster than O2 by 1.02``; the name of the claim, where it has one, stands before it.

    ``unit`` is that of the metric, for bounds.
    """
    text = _limit(claim, unit) if isinstance(claim, Limit) else TEXTS[type(claim)](claim)
    return f"{printable(claim.name)}: {text}" if claim.name else text


def levels_text(levels: Mapping[str, Scalar]) -> str:
    """``O3`` or ``n = 1000``: words speak for themselves, numbers do not."""
    return ", ".join(
        printable(level) if isinstance(level, str) else f"{name} = {level}" for name, level in levels.items()
    )


def stratum_text(levels: Mapping[str, Scalar]) -> str:
    """``n = 1000, op = bcast``."""
    return ", ".join(f"{printable(name)} = {printable(str(level))}" for name, level in levels.items())


def _where(claim: Faster | Slower | Equivalent | Best | Scales | Rule | Unperturbed | Validates) -> str:
    metric = getattr(claim, "metric", None)
    by = f" in {metric}" if metric else ""
    return by + (f" where {stratum_text(claim.where)}" if claim.where else "")


def _better(claimed: str, opposite: str, by: float, other: str) -> str:
    """``faster than O2 by 1.02``; a factor below 1 allows a loss, and is said as one."""
    if by < 1:
        return f"at most {percent(1 - by)} {opposite} than {other}"
    return f"{claimed} than {other}" + ("" if by == 1 else f" by {by:g}")


def _faster(claim: Faster) -> str:
    one, other = levels_text(claim.faster), levels_text(claim.than)
    return f"{one} {_better('faster', 'slower', claim.by, other)}{_where(claim)}"


def _slower(claim: Slower) -> str:
    one, other = levels_text(claim.slower), levels_text(claim.than)
    return f"{one} {_better('slower', 'faster', claim.by, other)}{_where(claim)}"


def _equivalent(claim: Equivalent) -> str:
    return (
        f"{levels_text(claim.equivalent)} equivalent to {levels_text(claim.to)}"
        f" within {percent(claim.within)}{_where(claim)}"
    )


def _limit(claim: Limit, unit: str) -> str:
    side, bound = ("at most", claim.max) if claim.max is not None else ("at least", claim.min)
    at = f" at {stratum_text(claim.at)}" if claim.at else ""
    return f"{claim.limit} {side} {format_quantity(bound or 0.0, unit)}{at}"


def _best(claim: Best) -> str:
    if claim.level is None:
        return f"one best {claim.best}{_where(claim)}"
    return f"{levels_text({claim.best: claim.level})} is the best {claim.best}{_where(claim)}"


def _scales(claim: Scales) -> str:
    expected = claim.expect if claim.expect is not None else f"accepted in {printable(claim.accepted or '')}"
    over = f" over {claim.parameter}" if claim.parameter else ""
    return f"{claim.scales} grows{over} as {expected}{_where(claim)}"


def _rule(claim: Rule) -> str:
    return f"{printable(claim.rule)}{_where(claim)}"


def _unperturbed(claim: Unperturbed) -> str:
    margin = f"within {percent(claim.within)}{_where(claim)}"
    return f"{claim.unperturbed} unperturbed by {levels_text(claim.probe)} {margin}"


def _validates(claim: Validates) -> str:
    by = "" if claim.least == 1 else f" by {claim.least:g}"
    better = "" if claim.outcome_least == 1 else f" by {claim.outcome_least:g}"
    return (
        f"{levels_text(claim.intervention)} makes {claim.validates} {claim.direction}{by}"
        f" and {claim.outcome} better{better}{_where(claim)}"
    )


TEXTS: Final[dict[type, Callable[[Any], str]]] = {
    Faster: _faster,
    Slower: _slower,
    Equivalent: _equivalent,
    Best: _best,
    Scales: _scales,
    Rule: _rule,
    Unperturbed: _unperturbed,
    Validates: _validates,
}
