"""When a run is looked at: after a first number of blocks, then at each 1.25-fold of it, rounded down."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Final, Literal

Until = Literal["size", "verdict"]
"""What ends a run: a verdict whose interval is narrow against the effect, or a verdict."""

GROWTH: Final = 1.25
"""Blocks at a look over those at the one before."""


def looks_from(first: int, passes: int = 1) -> Iterator[int]:
    """Yield looks from ``first`` blocks on, each rounded up to whole ``passes``, without end."""
    last = 0
    for k in itertools.count():
        look = round_to_passes(math.floor(first * GROWTH**k), passes)
        if look > last:
            yield look
        last = look


def round_to_passes(blocks: int, passes: int) -> int:
    """Round up to whole passes."""
    return -(-blocks // passes) * passes
