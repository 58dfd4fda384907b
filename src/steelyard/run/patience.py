"""A limit on how long Python may work on what a program printed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfPatienceError(Exception):
    """The time was up."""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Interrupt what is inside after ``seconds`` with ``OutOfPatienceError``.

    That ends even a regular expression which backtracks for ever: Python looks for signals while it searches.

    Outside the main thread, which alone sees signals, there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise OutOfPatienceError
