"""Standard streams: none closed, no character impossible to write, no reader who changes the exit code.

What a command has found does not depend on who reads it: where a reader leaves (``| head -1``, ``| true``),
the rest is discarded, at any write and at the last flush, and the command ends with its own exit code. A gate
that ended with another one would be green.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Any, Final, TextIO

from steelyard.core.errors import UsageError


def open_streams(*, as_document: bool) -> None:
    """Make the standard streams usable.

    Raises
    ------
    UsageError
        Standard output is closed.
    """
    closed = [fd for fd in (0, 1, 2) if not _is_open(fd)]
    for _ in closed:
        # It gets the lowest free number, so that no file of ours takes the place of a stream, here or in the
        # runner.
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if 2 in closed:
        sys.stderr = os.fdopen(2, "w")
    if 1 in closed:
        sys.stdout = os.fdopen(1, "w")
        raise UsageError("standard output is closed", hint="to discard the answer: > /dev/null")
    # Documents are UTF-8 whatever the terminal is.
    encoding = "utf-8" if as_document else None
    sys.stdout = _reopen(sys.stdout, encoding, BrokenPipeError)
    # Remarks that cannot be written (``2> /dev/full``) change no exit code, and lose no answer.
    sys.stderr = _reopen(sys.stderr, encoding, OSError)


def discard_output() -> None:
    """Let the interpreter flush without a complaint what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _reopen(stream: TextIO, encoding: str | None, lost: type[OSError]) -> TextIO:
    """Return the stream anew, so that what fails to be written as ``lost`` says is discarded."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    is_direct = stream.line_buffering or stream.write_through or lost is OSError
    output = io.BufferedWriter(_Output(stream, lost))
    return io.TextIOWrapper(output, encoding or stream.encoding, _PLAIN, line_buffering=is_direct)


class _Output(io.RawIOBase):
    """A stream that discards what cannot be written."""

    def __init__(self, stream: io.TextIOWrapper, lost: type[OSError]) -> None:
        self._stream = stream  # which would close the descriptor on its end
        self._raw: Any = getattr(stream.buffer, "raw", stream.buffer)  # ``python -u`` has no buffer
        self._lost = lost

    def write(self, data: Any, /) -> int | None:
        try:
            written: int | None = self._raw.write(data)
        except self._lost:
            return memoryview(data).nbytes
        return written

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _strip_style(error: UnicodeError) -> tuple[str, int]:
    """Write signs that an encoding lacks with others: ``✗`` must not be ``?``, which is another verdict."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    return "".join(_SIGNS.get(sign, "?") for sign in part), error.end


_PLAIN: Final = "steelyard.plain"
_SIGNS: Final = {
    "✓": "+", "✗": "x", "–": "-", "−": "-", "…": "...", "×": "x", "±": "+-", "µ": "u", "σ": "s",
    "→": "->", "█": "#", "▒": "=", "─": "-", "░": ".", "≤": "<=", "≥": ">=", "·": ".", "²": "^2", "³": "^3",
    "“": '"', "”": '"',
}  # fmt: skip
codecs.register_error(_PLAIN, _strip_style)
