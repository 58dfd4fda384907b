"""Regular expressions and JSON pointers.

They are refused here, where the place is known, rather than in the middle of a run.

Python's ``re`` may need time exponential in the length of a text for patterns such as ``(a+)+b``, and no test
of a pattern can rule that out; so a pattern is limited in length here, and the text that it is given is
limited where it is read.
"""

from __future__ import annotations

import re
import warnings
from typing import Final

from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.toml import format_value

LONGEST_PATTERN: Final = 10_000
"""Characters."""
_BAD_ESCAPE = re.compile(r"~(?![01])")


def check_pattern(pattern: str, origin: Origin, path: Path, *, group: bool = False) -> None:
    """Refuse an invalid regular expression; with ``group``, also one without a group for the number.

    Raises
    ------
    SpecError
    """
    if len(pattern) > LONGEST_PATTERN:
        text = f"a pattern of {len(pattern)} characters is longer than {LONGEST_PATTERN}"
        raise origin.error(path, text, "write a shorter one")
    try:
        with warnings.catch_warnings():
            # Patterns whose meaning will change in a later Python are refused too.
            warnings.simplefilter("error")
            compiled = re.compile(pattern)
    except re.error as error:
        place = f" at character {error.pos + 1}" if error.pos is not None else ""
        text = f"{format_value(pattern)} is not a regular expression: {error.msg}{place}"
        raise origin.error(
            path, text, "escape what is meant as text by \\\\, or write the pattern in single quotes"
        ) from None
    except (Warning, OverflowError, RecursionError) as error:
        raise origin.error(
            path,
            f"{format_value(pattern)} is not a usable regular expression: {error}",
            "write a simpler one",
        ) from None
    if group and not compiled.groups:
        text = f"{format_value(pattern)} has no group for the number"
        raise origin.error(path, text, 'put parentheses around the number, as in "rate=([0-9.]+)"')


def check_pointer(pointer: str, origin: Origin, path: Path) -> None:
    """Refuse an invalid JSON pointer (RFC 6901).

    Raises
    ------
    SpecError
    """
    if pointer and not pointer.startswith("/"):
        close = "/" + pointer.lstrip("$.").replace(".", "/")
        text = (
            f"{format_value(pointer)} is not a JSON pointer: it must start with / (or be empty: the whole"
            " document)"
        )
        raise origin.error(path, text, f'write "{close}"')
    bad = _BAD_ESCAPE.search(pointer)
    if bad:
        rule = f"~ at character {bad.start() + 1} is not followed by 0 or 1"
        text = f"{format_value(pointer)} is not a JSON pointer: {rule}"
        raise origin.error(path, text, "write ~0 for ~, and ~1 for a / within a key")
