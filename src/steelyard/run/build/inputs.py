"""The files that a build depends on: found by patterns, and identified by name and contents.

A pattern is relative to the directory of the spec; one that begins with ``{source}``, which is that
directory, may leave it by ``..``. ``*`` and ``?`` and ``[…]`` match within one name,
hidden names included; ``**`` matches any number of directories, without following links, so that a circle
of links ends; a directory that is matched stands for all files in it. Neither enters ``.git`` or a record
(``*.lab``), which change without the sources. (``pathlib`` and ``glob`` each do some of this otherwise, and
not alike in all versions of Python.)
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from steelyard.core.errors import SpecError
from steelyard.run.launch.provenance import file_sha256


class InputFile(msgspec.Struct, frozen=True, order=True):
    """A file as the key of a build sees it; its name is relative where it lies in the source."""

    name: bytes
    sha256: str
    executable: bool


def input_files(source: Path, patterns: Sequence[str], words: Sequence[str] = ()) -> tuple[InputFile, ...]:
    """All files that match, and those that words of the command name, sorted by name, with their contents.

    Raises
    ------
    SpecError
        As ``input_paths``; or a file cannot be read.
    """
    result = input_paths(source, patterns, words)
    return tuple(_read(name, path) for name, path in sorted(result.items()))


def input_paths(source: Path, patterns: Sequence[str], words: Sequence[str] = ()) -> dict[str, Path]:
    """All files that match, and those that words of the command name, by name.

    Parameters
    ----------
    patterns : sequence of str
        Relative ones must stay inside ``source``; an absolute one, or one that begins with ``{source}/``,
        declares that the build depends on a file elsewhere.
    words : sequence of str
        Of the command, its first one left out; those that are files in ``source`` count as declared.

    Raises
    ------
    SpecError
        A pattern that leaves the source or matches nothing; no input at all.
    """
    result: dict[str, Path] = {}
    for pattern in patterns:
        matches = {_name(path, source): path for path in _list_matches(source, pattern)}
        if not matches:
            raise SpecError(
                f"build.inputs: {pattern!r} matches no file in {source}",
                hint="a pattern that matches nothing would never see a change: correct it or take it out",
            )
        result |= matches
    for word in words:
        path = Path(os.path.normpath(source / word))
        if path.is_relative_to(source) and holds(path.is_file):
            result[_name(path, source)] = path
    if not result:
        raise SpecError(
            "build.inputs: no file is named, so nothing would say when to build again",
            hint='name the sources that the build reads, as in inputs = ["src/**"]',
        )
    return result


def holds(question: Callable[[], bool]) -> bool:
    """Return the answer of the file system, and no where it has none.

    It has none for a name too long, or a link that leads to itself.
    """
    try:
        return question()
    except OSError:
        return False


def _list_matches(source: Path, pattern: str) -> Iterator[Path]:
    base = Path("/") if pattern.startswith("/") else source
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    # Two in a row say no more than one, and each would be searched in all directories that the other found.
    parts = [
        part for part, before in zip(parts, ["", *parts], strict=False) if (part, before) != ("**", "**")
    ]
    if parts[:1] == ["{source}"]:
        del parts[0]
        while parts[:1] == [".."]:
            base = Path(os.path.normpath(base)).parent
            del parts[0]
    if ".." in parts and not pattern.startswith("/"):
        raise SpecError(
            f"build.inputs: {pattern!r} leaves the directory of the spec",
            hint=f"{{source}}/{os.path.normpath(pattern.removeprefix('{source}/'))} says that this is meant",
        )
    for path in _walk(base, parts):
        if holds(path.is_dir):
            yield from _list_below(path)
        elif holds(path.is_file):
            yield path


def _walk(directory: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Files that the parts of a pattern match from here."""
    if not parts:
        yield directory
        return
    first, rest = parts[0], parts[1:]
    if first == "**" and not rest:
        yield directory
    elif first == "**":
        yield from _walk(directory, rest)
        for entry in _list_entries(directory):
            if entry.is_dir(follow_symlinks=False) and not _apart(entry.name):
                yield from _walk(Path(entry), parts)
    elif any(mark in first for mark in "*?["):
        for entry in _list_entries(directory):
            if fnmatch.fnmatchcase(entry.name, first) and (not rest or holds(entry.is_dir)):
                yield from _walk(Path(entry), rest)
    elif holds((directory / first).exists):
        yield from _walk(directory / first, rest)


def _list_below(directory: Path) -> Iterator[Path]:
    for entry in _list_entries(directory):
        if entry.is_dir(follow_symlinks=False):
            yield from () if _apart(entry.name) else _list_below(Path(entry))
        elif holds(entry.is_file):
            yield Path(entry)


def _apart(name: str) -> bool:
    """Directories that change without the sources: a repository's database, and our own records."""
    return name == ".git" or name.endswith(".lab")


def _list_entries(directory: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except NotADirectoryError:
        return []
    except OSError as error:
        raise SpecError(
            f"build.inputs: {directory} cannot be read: {error.strerror}",
            hint="correct its permissions or the pattern",
        ) from error


def _name(path: Path, source: Path) -> str:
    return str(path.relative_to(source)) if path.is_relative_to(source) else str(path)


def _read(name: str, path: Path) -> InputFile:
    try:
        return InputFile(os.fsencode(name), file_sha256(path), os.access(path, os.X_OK))
    except OSError as error:
        raise SpecError(
            f"build.inputs: {path} cannot be read: {error.strerror}",
            hint="correct its permissions or the pattern",
        ) from error
