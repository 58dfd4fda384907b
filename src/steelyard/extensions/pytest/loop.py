"""``Loop``: a function, called so often in a row that reading the clock is nothing against it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import Final

LEAST_S: Final = 200e-6
"""One timing takes at least this: some thousand times as long as a reading of the clock, and short enough
that few timings meet an interruption.
"""
MOST_CALLS: Final = 10_000_000
"""Of a function that does nothing."""
WARM_S: Final = 0.02
"""Time in which a function is called before its calls are counted: caches fill, the interpreter adapts."""


SLOW_S: Final = 0.1
"""Of one call: one that takes so long is warm after it, and no interruption makes a short one of it."""


class Loop:
    """A function and how often one timing calls it; the loop around it is in the time of a call.

    Parameters
    ----------
    function : callable
        Called without arguments; what it returns is dropped.
    calls : int
    """

    def __init__(self, function: Callable[[], object], calls: int = 1) -> None:
        self.function = function
        self.calls = calls

    def time(self) -> float:
        """Time the calls once; seconds per call."""
        function = self.function
        clock = time.perf_counter_ns
        started = clock()
        for _ in repeat(None, self.calls):
            function()
        return (clock() - started) / (1e9 * self.calls)


def calibrate(function: Callable[[], object], least_s: float = LEAST_S) -> Loop:
    """Warm a function up, and double its calls until the quickest of three timings takes ``least_s``.

    One that is slow is called once.
    """
    loop = Loop(function)
    started = time.perf_counter()
    if loop.time() >= SLOW_S:
        return loop
    while True:
        enough = min(loop.time() for _ in range(3)) * loop.calls >= least_s
        if (enough or loop.calls >= MOST_CALLS) and time.perf_counter() - started >= WARM_S:
            return loop
        if not enough:
            loop.calls = min(2 * loop.calls, MOST_CALLS)


@contextmanager
def quiet_memory() -> Iterator[None]:
    """Keep the garbage collector from running within, unless it is asked.

    What lives already is not looked at again until the end.
    """
    enabled = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if enabled:
            gc.enable()
