"""A line on a terminal that says how far a run is.

It is drawn between batches, so that nothing is measured meanwhile.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TextIO

from steelyard.core.units import format_duration
from steelyard.report.text.digits import bounds, percent, ratio
from steelyard.report.text.label import columns, shorten
from steelyard.results.status import Progress

_BAR: Final = 20
_NARROWEST_BAR: Final = 6
"""Columns of the bar, and of one that gives way to words."""
_CLEAR: Final = "\r\x1b[K"


def format_progress_line(at: Progress, width: int = 80) -> str:
    """Return at most ``width`` columns: ``12/30 blocks  ████░░░░  3 min left``.

    Where a precision ends the run, nobody knows how many blocks that takes; then the bar is the time spent of
    what will have been spent, and the precision stands beside it: ``120 blocks  ████░░░░  2.4 % reached, 1 %
    wanted  48 s spent, 2 min left``.
    """
    counted, words = _get_words(at)
    room = width - sum(columns(part) + 2 for part in (counted, *words))
    bar = max(_NARROWEST_BAR, min(_BAR, room))
    filled = int(bar * _compute_share(at))
    return shorten("  ".join([counted, "█" * filled + "░" * (bar - filled), *words]), width)


def _get_words(at: Progress) -> tuple[str, list[str]]:
    """Return the count, and what is said beside the bar."""
    if at.target is not None and at.reached is not None and at.to_end:
        return f"{at.blocks_done} {at.noun}", [_describe_reached(at), _format_times(at)]
    text = "" if at.remaining_s is None else format_duration(at.remaining_s)
    texts = [f"{text} {'left' if at.to_end else 'to the next look'}"] if text else []
    return f"{at.blocks_done}/{at.blocks_wanted} {at.noun}", texts


def _describe_reached(at: Progress) -> str:
    if at.speedup is None or at.interval is None:
        return f"{percent(at.reached or 0.0)} reached, {percent(at.target or 0.0)} wanted"
    value, interval, word = at.speedup, at.interval, "better"
    if value < 1:
        value, interval, word = 1 / value, interval.reciprocal(), "worse"
    return f"{ratio(value, interval)} × {word} ({bounds(value, interval)})"


def _format_times(at: Progress) -> str:
    spent = f"{format_duration(at.elapsed_s)} spent"
    return spent if at.remaining_s is None else f"{spent}, {format_duration(at.remaining_s)} left"


def _compute_share(at: Progress) -> float:
    if at.target is not None and at.reached is not None and at.to_end and at.remaining_s is not None:
        total = at.elapsed_s + at.remaining_s
        return at.elapsed_s / total if total else 1.0
    return min(at.blocks_done, at.blocks_wanted) / max(at.blocks_wanted, 1)


EVERY_S: Final = 10.0
"""Seconds between lines where nothing can be redrawn: a log shows that the run goes on."""


QUIET_S: Final = 30.0
"""Seconds without an end of anything after which that is told; the next time after twice as long."""


class _Silence:
    """A thread that calls ``tell`` after ``quiet_s`` without ``interrupt``.

    It sleeps until then, and passes the time that it has been quiet.
    """

    def __init__(self, tell: Callable[[float], None], quiet_s: float) -> None:
        self._tell = tell
        self._quiet_s = quiet_s
        self._ended = threading.Event()
        self._since = time.monotonic()
        self._thread = self._start()

    def interrupt(self) -> None:
        """Begin anew, also after the end."""
        self._since = time.monotonic()
        if self._ended.is_set():
            self._ended.clear()
            self._thread = self._start()

    def end(self) -> None:
        """Tell nothing more."""
        self._ended.set()
        self._thread.join()

    def _start(self) -> threading.Thread:
        thread = threading.Thread(target=self._watch, name="silence", daemon=True)
        thread.start()
        return thread

    def _watch(self) -> None:
        since, wanted_s = self._since, self._quiet_s
        while not self._ended.wait(max(0.0, since + wanted_s - time.monotonic())):
            if self._since != since:
                since, wanted_s = self._since, self._quiet_s
            elif (quiet_s := time.monotonic() - since) >= wanted_s:
                self._tell(quiet_s)
                wanted_s *= 2


class ProgressLine:
    """Draws on ``stream`` where that is a terminal, and writes a line every ten seconds anywhere else.

    ``clear`` before anything else is written there.
    """

    def __init__(self, stream: TextIO, quiet_s: float = QUIET_S) -> None:
        self.stream = stream
        self._is_shown = False
        self._told_at_s = time.monotonic()
        self._silence = _Silence(self._tell_silence, quiet_s)

    def update(self, at: Progress) -> None:
        """Redraw the line."""
        self._silence.interrupt()
        if not self.stream.isatty() or os.environ.get("TERM") == "dumb":
            if time.monotonic() - self._told_at_s >= EVERY_S:
                self._told_at_s = time.monotonic()
                counted, words = _get_words(at)
                self.stream.write("  ".join([counted, *words]) + "\n")
                self.stream.flush()
            return
        # The last column is left free: a character there makes some terminals wrap.
        line = format_progress_line(at, self._measure_width() - 1)
        self.stream.write(_CLEAR + line)
        self.stream.flush()
        self._is_shown = columns(line) > 0

    def clear(self) -> None:
        """Take the line away."""
        self._silence.end()
        if self._is_shown:
            self.stream.write(_CLEAR)
            self.stream.flush()
            self._is_shown = False

    def _tell_silence(self, quiet_s: float) -> None:
        clear, time_s = _CLEAR if self._is_shown else "", format_duration(quiet_s)
        self.stream.write(
            f"{clear}no news for {time_s}: a program or a hook is still running (Ctrl-C stops it)\n"
        )
        self.stream.flush()
        self._is_shown = False

    def _measure_width(self) -> int:
        try:
            return max(20, os.get_terminal_size(self.stream.fileno()).columns or 80)
        except (OSError, ValueError):
            return 80


_PATIENCE_S: Final = 0.5
"""Work that ends sooner shows no progress."""


class Counting:
    """Use as ``with Counting("functions", sys.stderr) as counting``; ``update`` redraws the line."""

    def __init__(self, title: str, stream: TextIO) -> None:
        self.title, self.stream = title, stream
        self.start = time.monotonic()
        self.is_shown = False

    def update(self, done: int, total: int) -> None:
        """Show ``done`` of ``total``."""
        if (
            not self.stream.isatty()
            or os.environ.get("TERM") == "dumb"
            or time.monotonic() - self.start < _PATIENCE_S
        ):
            return
        self.stream.write(f"\r\x1b[K{done}/{total} {self.title}")
        self.stream.flush()
        self.is_shown = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
