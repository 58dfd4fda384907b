"""A limit on how long Python may work on what a program printed."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimitExceededError(Exception):
    """The time was up."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what is inside after ``seconds`` with ``TimeLimitExceededError``.

    That ends even a regular expression which backtracks for ever: Python looks for signals while it searches.

    Outside the main thread, which alone sees signals, nothing is limited.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGALRM, _interrupt)
    start = time.monotonic()
    left_s, every_s = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left_s:
            # Somebody else's timer goes on; at once where its time has come meanwhile.
            signal.setitimer(signal.ITIMER_REAL, max(1e-6, left_s - (time.monotonic() - start)), every_s)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise TimeLimitExceededError
