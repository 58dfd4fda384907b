"""Checks of names and texts that every table shares."""

from __future__ import annotations

import re

from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.placeholders import IDENTIFIER
from steelyard.spec.text.toml import format_value

LONGEST_NAME = 100
"""Characters."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def check_identifier(name: str, noun: str, origin: Origin, path: Path, *, dashes: bool = True) -> None:
    """Refuse a name that is not made of letters, digits and underscores (and dashes, for factors).

    Raises
    ------
    SpecError
    """
    if len(name) <= LONGEST_NAME and IDENTIFIER.fullmatch(name) and (dashes or "-" not in name):
        return
    also = ", _ and -" if dashes else " and _"
    rule = f"letters a to z, digits{also}, not starting with a digit{' or -' if dashes else ''}"
    close = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:LONGEST_NAME]
    hint = f"write {close}" if IDENTIFIER.fullmatch(close) else f"use {rule}"
    if len(name) > LONGEST_NAME:
        raise origin.error(
            path, f"the name of a {noun} has {len(name)} characters, {LONGEST_NAME} at most", hint
        )
    raise origin.error(path, f"{format_value(name)} cannot name a {noun}: use {rule}", hint)


def check_text(text: str, noun: str, origin: Origin, path: Path) -> None:
    """Refuse text that no program can be passed: NUL, and characters that UTF-8 cannot encode.

    Raises
    ------
    SpecError
    """
    if "\0" in text:
        raise origin.error(
            path,
            f"{noun} contains NUL: {format_value(text)}",
            "leave out \\u0000; no program can be given it",
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise origin.error(
            path, f"{noun} cannot be encoded in UTF-8: {text!r}", "leave out lone surrogates"
        ) from None


def check_line(text: str, noun: str, origin: Origin, path: Path) -> None:
    """Refuse a text that is not one line of visible characters.

    Raises
    ------
    SpecError
    """
    check_text(text, noun, origin, path)
    match = _CONTROL.search(text)
    if match or not text.strip():
        problem = f"contains the control character {match[0]!r}" if match else "is empty"
        raise origin.error(path, f"{noun} {problem}: {format_value(text)}", "write one line of text")


def check_experiment_name(name: str, origin: Origin, path: Path) -> None:
    """Refuse a name that cannot name the directory of a record.

    Raises
    ------
    SpecError
    """
    check_line(name, "the name of the experiment", origin, path)
    if len(name) > LONGEST_NAME:
        text = f"the name of the experiment has {len(name)} characters, {LONGEST_NAME} at most"
        raise origin.error(path, text, "choose a shorter one")
    if "/" in name or name.startswith("."):
        close = name.replace("/", "-").lstrip(".- ")
        shown_name = format_value(name)
        text = f"{shown_name} contains / or starts with a dot, but it also names the directory of the record"
        raise origin.error(path, text, f'name = "{close}"' if close else "choose another name")
