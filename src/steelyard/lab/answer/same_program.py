"""Programs of a record that are one file, byte for byte: nothing in them can make a difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from steelyard.results.notice import Notice


def find_same_programs(*programs: Mapping[str, Mapping[str, Any]]) -> list[Notice]:
    """Tell programs at different paths whose contents are the same, each content once.

    Parameters
    ----------
    programs : mapping of str to mapping
        ``Record.program`` of each record, in the order of the question.
    """
    paths: dict[str, list[str]] = {}
    for path, facts in (item for program in programs for item in program.items()):
        alike = paths.setdefault(str(facts["sha256"]), [])
        if path not in alike:
            alike.append(path)
    several = [alike for alike in paths.values() if len(alike) > 1]
    return [Notice("same_program", fields={"programs": " and ".join(_shorten(alike))}) for alike in several]


def _shorten(paths: Iterable[str]) -> list[str]:
    """File names where they are enough to tell the paths apart."""
    listed = list(paths)
    names = [Path(path).name for path in listed]
    return names if len(set(names)) == len(names) else listed
