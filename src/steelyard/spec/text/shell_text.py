"""Placeholders in text that a shell reads: what is put in is quoted, so a level is data and no command.

Quoting by single quotes works only where the shell is not quoting already. Inside quotes, after a backslash,
and in texts with constructs in which quotes do not mean what they say (here-documents, backquotes, comments,
``$'...'``) a value is put in only if it consists of characters that no shell interprets.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.spec.text.placeholders import lookup, parts
from steelyard.spec.text.toml import format_value

_QUOTES_MEAN_LITTLE = ("`", "<<", "#", "$'", '$"')


def expand_for_shell(text: str, mapping: Mapping[str, Scalar]) -> str:
    """``text`` with each placeholder replaced by its value as one word of ``/bin/sh``.

    Raises
    ------
    UsageError
        A lone brace, a placeholder that ``mapping`` does not have, or a value that cannot be quoted where it
        stands.
    """
    pieces: list[str] = []
    quoting = _Quoting()
    doubtful = any(mark in text for mark in _QUOTES_MEAN_LITTLE)
    for literal, name in parts(text):
        pieces.append(literal)
        quoting.read(literal)
        if not name:
            continue
        value = lookup(name, mapping, text)
        quoted = shlex.quote(value)
        if (doubtful or quoting.inside) and quoted != value:
            raise _make_unquotable(text, name, value, doubtful=doubtful)
        pieces.append(quoted)
    return "".join(pieces)


class _Quoting:
    """Whether a shell is inside quotes after what it has read."""

    def __init__(self) -> None:
        self._quote = ""
        self._escaped = False

    @property
    def inside(self) -> bool:
        return bool(self._quote) or self._escaped

    def read(self, literal: str) -> None:
        """Read on; what a placeholder puts in between is balanced and changes nothing but ends an escape."""
        self._escaped = False
        for character in literal:
            if self._escaped:
                self._escaped = False
            elif character == "\\" and self._quote != "'":
                self._escaped = True
            elif self._quote:
                if character == self._quote:
                    self._quote = ""
            elif character in "'\"":
                self._quote = character


def _make_unquotable(text: str, name: str, value: str, *, doubtful: bool) -> UsageError:
    place = (
        "in a shell command with comments, backquotes or here-documents"
        if doubtful
        else "inside quotes of a shell command"
    )
    return UsageError(
        f"{{{name}}} stands {place}, where {format_value(value)} could be read as a command:"
        f" {format_value(text)}",
        hint=f"put {{{name}}} outside of the quotes (Steelyard quotes it), or use a list of words",
    )
