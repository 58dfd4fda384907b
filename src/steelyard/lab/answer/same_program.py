"""Programs of a record that are one file, byte for byte: nothing in them can make a difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from steelyard.results.notice import Kind, Notice

_MOST_NAMES: Final = 5


def find_same_programs(*programs: Mapping[str, Mapping[str, Any]]) -> list[Notice]:
    """Tell programs at different paths whose contents are the same, each content once.

    Parameters
    ----------
    programs : mapping of str to mapping
        ``Record.program`` of each record, in the order of the question.
    """
    paths: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for program in programs:
        for path, facts in program.items():
            if facts.get("library_of"):
                continue
            alike = paths.setdefault((str(facts["sha256"]), _list_libraries(path, program)), [])
            if path not in alike:
                alike.append(path)
    several = [alike for alike in paths.values() if len(alike) > 1]
    return [Notice("same_program", fields={"programs": " and ".join(_shorten(alike))}) for alike in several]


def find_other_libraries(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]], *, judged: bool
) -> list[Notice]:
    """Tell libraries at one path with other contents, where a program that uses them is the same in both.

    Parameters
    ----------
    old, new : mapping of str to mapping
        ``Record.program`` of two records.
    judged : bool
        Whether there is a verdict all the same.
    """
    changed = [
        path
        for path, facts in new.items()
        if path in old
        and old[path]["sha256"] != facts["sha256"]
        and any(
            user in old and user in new and old[user]["sha256"] == new[user]["sha256"]
            for user in facts.get("library_of", ())
        )
    ]
    text = name_files(_shorten(changed))
    kind: Kind = "other_libraries" if judged else "other_code"
    return [Notice(kind, fields={"libraries": text})] if changed else []


def name_files(names: Sequence[str]) -> str:
    """Join the first names; the rest is a number: another Python has hundreds of other sources."""
    rest = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def _list_libraries(path: str, program: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Contents of the libraries that a program is linked to, in an order of their own."""
    return tuple(
        sorted(str(facts["sha256"]) for facts in program.values() if path in facts.get("library_of", ()))
    )


def _shorten(paths: Iterable[str]) -> list[str]:
    """File names where they are enough to tell the paths apart."""
    listed = list(paths)
    names = [Path(path).name for path in listed]
    return names if len(set(names)) == len(names) else listed
