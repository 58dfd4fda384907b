"""Values as TOML writes them, for ``dumps`` and for what an error shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_SHOWN: Final = 60
"""Characters of a value in an error."""


def toml_text(text: str) -> str:
    """Return a basic string on one line."""
    return (
        '"'
        + "".join(
            _ESCAPES.get(c) or (f"\\u{ord(c):04X}" if ord(c) < 32 or ord(c) == 127 else c) for c in text
        )
        + '"'
    )


def format_integer(number: int) -> str:
    """Return a whole number; beyond 64 bits in hexadecimal, since Python writes 4,300 digits at most."""
    return str(number) if number.bit_length() <= 64 else hex(number)


def toml_key(key: str) -> str:
    """Return a key, in quotes where it needs them."""
    return key if _BARE_KEY.fullmatch(key) else toml_text(key)


def toml_value(value: object) -> str:
    """Return a value on one line: text, numbers, truth, lists and tables of them.

    Raises
    ------
    TypeError
        A value that TOML cannot express.
    """
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return format_integer(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    raise TypeError(f"TOML cannot express {type(value).__name__}")


def format_value(value: object) -> str:
    """Return a scalar as TOML writes it, cut where it is long; what is not a scalar is only counted."""
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return f"a table of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    try:
        text = toml_value(value)
    except TypeError:
        text = f"{value} (a {type(value).__name__})"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
