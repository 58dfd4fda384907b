"""The line of a program's output that says why it failed, which is not always its last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_CAUSE: Final = re.compile(
    r"panicked at "  # Rust
    r"|^panic: |^fatal error: "  # Go
    r"|^Exception in thread |^Caused by: "  # Java
    # JavaScript, .NET
    r"|^(?:Uncaught |Unhandled exception\. )?(?:[A-Za-z_][\w.$]*)?(?:Error|Exception)\b(?::|$| \[)"
    r"|^\s*what\(\):  |^terminate called "  # C++
    r"|AddressSanitizer: |^\S+: runtime error: "
    r"|\bAssertion .*failed"
    r"|: (?:undefined reference to|multiple definition of) "  # linkers
    r"|(?:^|\s)(?:fatal )?error(?:\[\w+\])?: "  # compilers
    r"|^E   +\S"  # pytest
    r"|^make(?:\[\d+\])?: \*\*\* |^npm (?:ERR!|error) "
)


def find_cause(lines: Sequence[str]) -> int | None:
    """Return the place of the first line that says why; ``None`` where none does.

    Stacks of calls and advice follow such a line in Rust, Go, Java and JavaScript.
    """
    return next((place for place, line in enumerate(lines) if _CAUSE.search(line)), None)


def join_cause(lines: Sequence[str], place: int) -> str:
    """Return a cause on one line: Rust says where before it says what."""
    line = lines[place].strip()
    if line.endswith(":") and place + 1 < len(lines):
        return f"{line} {lines[place + 1].strip()}"
    return line
