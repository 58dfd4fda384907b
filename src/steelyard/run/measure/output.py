"""Captured output of a trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from steelyard.core.causes import find_cause, join_cause

if TYPE_CHECKING:
    from steelyard.run.runner.journal import RawTrial

_EXCERPT_CHARACTERS: Final = 80
_CAUSE_CHARACTERS: Final = 200


class Output(msgspec.Struct, frozen=True):
    """One stream of a trial.

    Attributes
    ----------
    name : str
        What a person calls it: ``stdout``, ``stderr``.
    head : bytes
        Its head.
    total_bytes : int
        What the program wrote, kept or not.
    """

    name: str
    head: bytes
    total_bytes: int

    @classmethod
    def make(cls, raw: RawTrial, name: Literal["stdout", "stderr"]) -> Output:
        """Return the stream of a trial."""
        if name == "stdout":
            return cls(name, raw.stdout, raw.stdout_bytes)
        return cls(name, raw.stderr, raw.stderr_bytes)

    @property
    def cut(self) -> bool:
        """Whether more was written than was kept."""
        return self.total_bytes > len(self.head)

    def text(self) -> str:
        """Return the captured bytes as UTF-8; an invalid byte becomes U+FFFD."""
        return self.head.decode(errors="replace")

    def describe(self) -> str:
        """``stdout, which begins '…'``, or that it is empty."""
        if not self.head:
            return f"{self.name}, which is empty"
        return f"{self.name}, which begins {excerpt(self.head)}"


def excerpt(data: bytes, most: int = _EXCERPT_CHARACTERS) -> str:
    """Return the first 80 characters, quoted and escaped.

    Everything that a terminal could take for a command is escaped.
    """
    # Four bytes are the longest character of UTF-8.
    head = data[: 4 * most + 4].decode(errors="replace")
    text = "…" if len(head) > most else ""
    return repr(head[:most] + text)


def quote_words(streams: Sequence[bytes], last: bytes) -> str:
    """Quote what a program said of its failure: its last line, or a line before that which says why.

    Parameters
    ----------
    streams : sequence of bytes
        What it wrote, stderr first.
    last : bytes
        Its last line; empty where it wrote none.
    """
    if not last:
        return ""
    for stream in streams:
        lines = [line for line in stream.decode(errors="replace").splitlines() if line.strip()]
        place = find_cause(lines)
        if place is not None and find_cause([last.decode(errors="replace")]) is None:
            return f"; output says: {excerpt(join_cause(lines, place).encode(), _CAUSE_CHARACTERS)}"
    return f"; output ends with: {excerpt(last)}"
