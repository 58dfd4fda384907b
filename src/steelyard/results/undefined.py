"""``Undefined``: a number that does not exist, and why. It takes the place of NaN everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

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
    "slow_mode",
    "constant",
    "crowded",
    "other_code",
    "edited",
    "late_without_pairs",
    "late_beyond_median",
]

LARGEST_LOG: Final = 700.0
"""exp of more leaves the range of double."""


REASONS: Final[Mapping[str, str]] = {
    "no_values": "there are no values",
    "one_value": "there is only one value",
    "not_finite": "a value is not a finite number",
    "zero_mean": "the mean is 0",
    "zero_values": "a value is 0",
    "negative_values": "a value is negative",
    "no_common_instance": "no instance has values of both",
    "no_common_block": "no block has values of both",
    "one_block": "there is only one complete block",
    "one_context": "there is only one context",
    "one_pass": "no context was visited twice",
    "one_instance": "there is only one instance",
    "out_of_range": "the ratio is out of range",
    "missing_combinations": "some combinations of the factors are not run",
    "slow_mode": "one program has occasional slow runs; how often is unknown and decides the winner",
    "constant": "all values of both are equal: counted, or not measured?",
    "edited": "the record is not as it was measured",
    "crowded": "oversubscribed: more ranks than CPUs ran",
    "other_code": "libraries or modules changed, and the programs that load them did not",
    "no_spread": "values do not differ at all",
    "no_spread_at_median": "the values about both medians are equal",
    "late_without_pairs": "runs timed out, and neither blocks nor instances pair them",
    "late_beyond_median": "runs of both timed out together in half of the blocks or more",
}
"""In words, as the end of a sentence."""


class Undefined(msgspec.Struct, frozen=True):
    """A result that cannot be computed from what was observed."""

    reason: Reason

    n: ClassVar[int] = 0
    """Units that it rests on, as an estimate has them."""
    assumptions: ClassVar[tuple[str, ...]] = ()
    """Nothing is taken for granted."""

    @property
    def words(self) -> str:
        """The reason as the end of a sentence."""
        return REASONS[self.reason]
