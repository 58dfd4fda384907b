"""``Meanwhile``: work beside other work, which can be done without."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Thread


class Meanwhile:
    """``work`` in a thread, from ``start`` to ``join``; where no thread can be started, it is not done."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._thread = Thread(target=work)

    def start(self) -> None:
        """Begin."""
        with suppress(RuntimeError):
            self._thread.start()

    def join(self) -> None:
        """Wait for its end, if it was begun."""
        if self._thread.ident is not None:
            self._thread.join()
