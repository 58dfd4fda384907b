"""Placeholders: ``{factor}``, ``{build}``, ``{source}`` and ``{trial}``; ``{{`` and ``}}`` are braces.

What is put in is put in once: a level that holds braces itself stays as it is. A word stays one word whatever
the level holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.spec.text.toml import format_integer, format_value

IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
"""What the name of a factor may be."""

RESERVED: Final = frozenset({"build", "source", "trial", "objects", "padding_file", "function_padding"})
"""Placeholders besides factors: directory of the build, directory of the spec, number of the trial; and
for the build, the files to link, the one that shifts them, and the bytes between functions.
"""

_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def format_level(level: Scalar) -> str:
    """Return a level as it stands in a word.

    Truth values are as in TOML, floats the shortest text that reads back.
    """
    if isinstance(level, bool):
        return "true" if level else "false"
    if isinstance(level, int):
        return format_integer(level)
    return repr(level) if isinstance(level, float) else level


def names(text: str) -> set[str]:
    """Return the names of the placeholders in ``text``.

    Raises
    ------
    UsageError
        A brace that is neither part of a placeholder nor doubled.
    """
    return {name for _, name in parts(text) if name}


def expand(text: str, mapping: Mapping[str, Scalar]) -> str:
    """``text`` with each placeholder replaced by what ``mapping`` has for it, formatted by ``format_level``.

    For one word of a command, a path or a value of an environment variable; what a shell will read needs
    ``steelyard.spec.text.shell_text.expand_for_shell``.

    Raises
    ------
    UsageError
        A lone brace, or a placeholder that ``mapping`` does not have.
    """
    return "".join(literal + (lookup(name, mapping, text) if name else "") for literal, name in parts(text))


def escape(text: str) -> str:
    """``text`` with its braces doubled, so that ``expand`` gives it back."""
    return text.replace("{", "{{").replace("}", "}}")


def lookup(name: str, mapping: Mapping[str, Scalar], text: str) -> str:
    """Return the formatted value of one placeholder of ``text``.

    Raises
    ------
    UsageError
        ``mapping`` does not have it.
    """
    if name not in mapping:
        listed = ", ".join(f"{{{name}}}" for name in mapping) or "none"
        raise UsageError(
            f"{{{name}}} in {format_value(text)} has no value here", hint=f"placeholders known here: {listed}"
        )
    return format_level(mapping[name])


@lru_cache(maxsize=4096)
def parts(text: str) -> tuple[tuple[str, str], ...]:
    """``text`` as pairs: a literal, its braces no longer doubled, and the placeholder after it or ``""``.

    Raises
    ------
    UsageError
        A brace that is neither part of a placeholder nor doubled.
    """
    pairs: list[tuple[str, str]] = []
    literal, end = "", 0
    for token in _TOKEN.finditer(text):
        literal += text[end : token.start()]
        end = token.end()
        if token[0] in ("{{", "}}"):
            literal += token[0][0]
        elif token[1] is not None and IDENTIFIER.fullmatch(token[1]):
            pairs.append((literal, token[1]))
            literal = ""
        else:
            raise _make_lone_brace(text, token)
    return (*pairs, (literal + text[end:], ""))


def _make_lone_brace(text: str, token: re.Match[str]) -> UsageError:
    # Doubling each of the outer braces is the cure for {print $1} as for a single one.
    doubled = token[0].replace("{", "{{").replace("}", "}}")
    problem = f"{token[0]} at column {token.start() + 1} of {format_value(text)} is not a placeholder"
    return UsageError(
        problem, hint=f"write {doubled} for the text {token[0]}; placeholders look like {{name}}"
    )
