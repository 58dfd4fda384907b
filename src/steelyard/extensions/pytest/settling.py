"""Warm-up that is found: a function is called on until its times no longer fall."""

from __future__ import annotations

from statistics import median
from typing import Final, Protocol

import msgspec

WINDOW: Final = 5
"""Timings whose medians are compared."""

SETTLED: Final = 0.01
"""Relative decrease from one window to the next below which a function has settled."""

MOST_S: Final = 2.0
"""Time after which it ends anyway."""


class Timed(Protocol):
    """A ``Loop``, or what is timed as one."""

    calls: int

    def time(self) -> float:
        """Seconds per call of one timing."""


class Warmup(msgspec.Struct, frozen=True):
    """A warm-up: the calls that it took, and whether times had stopped falling when it ended."""

    calls: int
    steady: bool


def settle(loop: Timed, most_s: float = MOST_S) -> Warmup:
    """Time a calibrated loop until it settles.

    That is when the median of five timings is no more than 1 % below that of the five before.
    """
    calls, spent, before = 0, 0.0, 0.0
    while spent < most_s:
        window = [loop.time() for _ in range(WINDOW)]
        calls += WINDOW * loop.calls
        spent += sum(window) * loop.calls
        now = median(window)
        if now > before * (1 - SETTLED) > 0:
            return Warmup(calls, steady=True)
        before = now
    return Warmup(calls, steady=False)
