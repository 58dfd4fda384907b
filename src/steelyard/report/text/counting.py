"""How many of many things are done: one line on a terminal, nothing anywhere else."""

from __future__ import annotations

import os
import time
from types import TracebackType
from typing import Final, Self, TextIO

_PATIENCE_S: Final = 0.5
"""What is done sooner needs no progress."""


class Counting:
    """Use as ``with Counting("functions", sys.stderr) as counting``; ``update`` draws the line anew."""

    def __init__(self, what: str, stream: TextIO) -> None:
        self.what, self.stream = what, stream
        self.start = time.monotonic()
        self.shown = False

    def update(self, done: int, total: int) -> None:
        """So many of so many."""
        if (
            not self.stream.isatty()
            or os.environ.get("TERM") == "dumb"
            or time.monotonic() - self.start < _PATIENCE_S
        ):
            return
        self.stream.write(f"\r\x1b[K{done}/{total} {self.what}")
        self.stream.flush()
        self.shown = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
