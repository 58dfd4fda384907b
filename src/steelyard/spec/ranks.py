"""Number of ranks of a trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.spec.text.placeholders import expand

MOST_RANKS: Final = 1 << 20


def is_overcommitted(arguments: Sequence[str]) -> bool:
    """Whether words for ``srun`` let several ranks share a CPU, which it refuses otherwise."""
    return any(word in ("-O", "--overcommit", "--oversubscribe", "-s") for word in arguments)


def ranks_of(ranks: str, levels: Mapping[str, Scalar]) -> int:
    """Return the number of ranks of a treatment, from the key ``ranks`` of ``[launch]``.

    Raises
    ------
    UsageError
        Not an integer from 1 to 2^20.
    """
    text = expand(ranks, levels)
    if not text.isdecimal() or not 1 <= int(text[:8]) <= MOST_RANKS:
        raise UsageError(
            f"{text!r} is not a number of ranks", hint="give integers from 1 on, as in p = [2, 4, 8]"
        )
    return int(text)
