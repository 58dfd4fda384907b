"""Blocks of timings: every loop once in each, in random order."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from itertools import count

from steelyard.design.randomness import generator, permutation
from steelyard.extensions.pytest.loop import Loop

COLLECT_EVERY: int = 64
"""Blocks between collections of cycles that functions leave: each takes longer than a short block."""


def timed_blocks(loops: Sequence[Loop], seed: int) -> Iterator[tuple[float, ...]]:
    """Yield the seconds per call of each loop, block by block, without end.

    Garbage is collected between blocks. To be used within ``quiet_memory``.
    """
    for number in count(1):
        times = [0.0] * len(loops)
        for place in draw_order(len(loops), seed, number):
            times[place] = loops[place].time()
        yield tuple(times)
        if number % COLLECT_EVERY == 0:
            gc.collect()


def draw_order(loops: int, seed: int, number: int) -> list[int]:
    """Return the order in which so many loops run in a block, blocks being numbered from 1."""
    return permutation(range(loops), generator(seed, "order", number))
