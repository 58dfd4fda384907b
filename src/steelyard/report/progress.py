"""A line on a terminal that says how far a run is; drawn between batches, so that nothing is measured
meanwhile.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Final, TextIO

from steelyard.report.label import columns, shorten
from steelyard.units import format_duration

_BAR: Final = 20
"""Columns of the bar."""
_CLEAR: Final = "\r\x1b[K"


def progress_line(
    done: int,
    total: int,
    left_s: float | None = None,
    what: str = "blocks",
    width: int = 80,
    *,
    to_end: bool = True,
) -> str:
    """``12/30 blocks ████░░░░  3 min left``, at most ``width`` columns; the time only where it is known, and
    ``to the next look`` where nobody knows the end.
    """
    filled = _BAR * min(done, total) // max(total, 1)
    parts = [f"{done}/{total} {what}", "█" * filled + "░" * (_BAR - filled)]
    if left_s is not None:
        parts.append(f"{format_duration(left_s)} {'left' if to_end else 'to the next look'}")
    return shorten("  ".join(parts), width)


@dataclass(slots=True)
class Progress:
    """Draws on ``stream`` where that is a terminal, and nothing anywhere else; ``clear`` before anything else
    is written there.
    """

    stream: TextIO = field(default_factory=lambda: sys.stderr)
    _shown: bool = False

    def update(
        self,
        done: int,
        total: int,
        left_s: float | None = None,
        what: str = "blocks",
        *,
        to_end: bool = True,
    ) -> None:
        """Draw the line anew."""
        if not self.stream.isatty() or os.environ.get("TERM") == "dumb":
            return
        # The last column is left free: a character there makes some terminals wrap.
        line = progress_line(done, total, left_s, what, self._width() - 1, to_end=to_end)
        self.stream.write(_CLEAR + line)
        self.stream.flush()
        self._shown = columns(line) > 0

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self.stream.write(_CLEAR)
            self.stream.flush()
            self._shown = False

    def _width(self) -> int:
        try:
            return max(20, os.get_terminal_size(self.stream.fileno()).columns or 80)
        except (OSError, ValueError):
            return 80
