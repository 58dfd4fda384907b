"""This process around a run: SIGTERM as Ctrl-C, work in the background, numpy without threads of its own."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from types import FrameType
from typing import Final

_THREADS: Final = "OPENBLAS_NUM_THREADS"


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` on SIGTERM too, within.

    Outside the main thread, which alone gets signals, do nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Background:
    """Optional work in a thread, from ``start`` to ``join``; skipped where no thread can be started."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._thread = Thread(target=work)

    def start(self) -> None:
        """Begin."""
        with suppress(RuntimeError):
            self._thread.start()

    def join(self) -> None:
        """Wait for the end, if it was begun."""
        if self._thread.ident is not None:
            self._thread.join()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep numpy's linear algebra, if loaded within, from starting threads.

    It would start one for each further CPU, each of which works 60 ms to find nothing to do: beside the next
    trials where numpy is loaded for a look. Programs that are started later find the variable as it was.
    """
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before
