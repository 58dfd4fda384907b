"""``GrowthRule``: functions that must not grow faster than others together (Shudler et al. 2019, § 2.1)."""

from __future__ import annotations

import msgspec

from steelyard.core.errors import UsageError


class GrowthRule(msgspec.Struct, frozen=True):
    """The left function must not grow faster than the right ones together."""

    text: str
    left_side: tuple[str, ...]
    right: tuple[str, ...]


def parse_rule(text: str) -> GrowthRule:
    """Read ``a <= b + c`` (also ``≤``); sums may stand on both sides.

    Raises
    ------
    UsageError
        Not of this form; the message says what is missing.
    """
    sides = text.replace("≤", "<=").split("<=")
    names = [tuple(part.strip() for part in side.split("+")) for side in sides]
    if len(sides) != 2 or not all(all(side) for side in names):
        raise UsageError(
            f"rule {text!r} is not of the form 'a <= b + c'", hint="write 'allreduce <= reduce + bcast'"
        )
    return GrowthRule(text, names[0], names[1])
