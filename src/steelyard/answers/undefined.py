"""``Undefined``: a number that does not exist, and why. It takes the place of NaN everywhere in this room."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Reason = Literal[
    "no_values",
    "one_value",
    "not_finite",
    "zero_mean",
    "zero_values",
    "negative_values",
    "no_common_block",
    "no_common_instance",
    "one_block",
    "one_context",
    "one_pass",
    "one_instance",
    "out_of_range",
    "no_spread",
    "no_spread_at_median",
    "missing_combinations",
    "late_without_pairs",
    "late_beyond_median",
]

LARGEST_LOG: Final = 700.0
"""exp of more leaves the range of double."""


class Undefined(msgspec.Struct, frozen=True):
    """A result that cannot be computed from what was observed."""

    reason: Reason
