"""Failures of a command: in words on standard error, and as a document where ``--json`` asks for one."""

from __future__ import annotations

import errno
import os
import re
import sys
from typing import Final

import click

from steelyard.core.errors import SteelyardError, UsageError

_CURES: Final = {
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ENOSPC: "make room, or choose another file system",
    errno.EDQUOT: "make room, or choose another file system",
    errno.EROFS: "choose a place that can be written",
    errno.EACCES: "choose a place that you may read and write",
    errno.EPERM: "choose a place that you may read and write",
    errno.EEXIST: "a file has this name; choose another one",
    errno.ENOTDIR: "a part of the path is a file; choose another place",
    errno.ELOOP: "the path has a circle of symbolic links; choose another place",
}
"""Error numbers that a user's paths and disks cause; others are bugs."""

_ELSEWHERE: Final = {
    "--export-asciidoc": "--export-markdown FILE, or --export-csv FILE",
    "--export-orgmode": "--export-markdown FILE, or --export-csv FILE",
    "--style": "leave it out; colours are used on a terminal only",
}
"""Options of hyperfine that ``compare`` lacks, and what does the same here."""


def usage_error(error: click.UsageError) -> UsageError:
    """Word a mistake that click has found as we do."""
    command = error.ctx.info_name if error.ctx else None
    text = f"steelyard {command}" if command and command != "steelyard" else "steelyard"
    hint = f"{text} --help"
    if isinstance(error, click.NoSuchOption) and command == "compare":
        hint = _ELSEWHERE.get(error.option_name, hint)
    return UsageError(error.format_message().rstrip(".").replace("\n", " "), hint=hint)


def file_error(error: OSError) -> SteelyardError | None:
    """Word what a path or a disk of the user causes; ``None`` for what is a bug."""
    if error.filename is None:
        message = f"the output cannot be written: {error.strerror}"
        return UsageError(message, hint="make room, or write to another place")
    if error.errno not in _CURES:
        return None
    name = os.fsdecode(error.filename)
    text = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"
    return UsageError(f"{text}: {error.strerror}", hint=_CURES[error.errno])


def _format_safe_lines(text: str) -> str:
    """Drop the colours of what programs print, escape what a terminal would obey, and cut long lines."""
    from steelyard.report.text.label import printable

    half = _LONGEST_LINE // 2
    lines = (printable(line.expandtabs(4)) for line in _STYLING.sub("", text).split("\n"))
    return "\n".join(
        line if len(line) <= _LONGEST_LINE else f"{line[:half]} … {line[-half:]}" for line in lines
    )


_STYLING: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Control sequences (ECMA-48) and operating system commands, such as titles and links."""
_LONGEST_LINE: Final = 1000
"""Characters of a line of a message."""
_LONGEST: Final = 200
"""Characters of a path that an error shows."""


def tell(error: SteelyardError) -> int:
    """Say what went wrong and return the exit code; with ``--json``, also as one document on stdout."""
    every = (error, *error.further)
    message = (
        f"error: {_format_safe_lines(it.message)}\n"
        + (f"\nhint: {_format_safe_lines(it.hint)}\n" if it.hint else "")
        for it in every
    )
    sys.stderr.write("\n".join(message))
    if is_document():
        from steelyard.results.document import write_json

        document: dict[str, object] = {
            "message": error.message,
            "hint": error.hint,
            "exit": error.exit_code,
            "others": [{"message": it.message, "hint": it.hint} for it in error.further],
        }
        sys.stdout.write(write_json({"format": "steelyard/error", "version": 1, **document}))
    return error.exit_code


def is_document() -> bool:
    """Whether the command line asks for a JSON document."""
    words = sys.argv[1:]
    return "--json" in (words[: words.index("--")] if "--" in words else words)
