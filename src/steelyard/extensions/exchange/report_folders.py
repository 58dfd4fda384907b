"""Folders of reports: which of their files may be reports, and which are there for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.files.folders import list_files

_NAMES: Final = frozenset(
    """authors changelog changes contributing copying license licence makefile notice readme
    todo""".split()  # noqa: SIM905
)
"""Of texts for people, without a suffix or with that of a text."""
_SUFFIXES: Final = frozenset(
    """.cfg .css .gif .htm .html .ini .ipynb .jpeg .jpg .js .md .pdf .png .ps1 .py .rst .sh .svg .tex .toml
    .yaml .yml""".split()  # noqa: SIM905
)
"""Of files that no tool writes results into: texts for people, scripts, settings, pictures."""
_MOST_NAMED: Final = 3
"""Files of a kind that a sentence names."""


class ReportFolder(msgspec.Struct, frozen=True):
    """The files of a folder.

    Attributes
    ----------
    reports, documents : tuple of Path
        Those that may be reports; and those that are there for people, by their names.
    """

    reports: tuple[Path, ...]
    documents: tuple[Path, ...]


def list_folder(name: Path) -> ReportFolder:
    """List the files of a folder, but for hidden ones; a file is a folder of itself."""
    if name.is_file():
        return ReportFolder((name,), ())
    paths = list(list_files(name))
    documents = tuple(path for path in paths if _is_for_people(path))
    return ReportFolder(tuple(path for path in paths if path not in {*documents}), documents)


def _is_for_people(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix in _SUFFIXES or (suffix in ("", ".txt") and path.stem.lower() in _NAMES)


def refuse_mixture(tools: Mapping[Path, str], folders: Iterable[Path]) -> None:
    """Refuse files of several tools, with the names of some of each.

    Raises
    ------
    UsageError
    """
    paths_of: dict[str, list[Path]] = {}
    for path, tool in tools.items():
        paths_of.setdefault(tool.partition(" ")[0], []).append(path)
    if len(paths_of) < 2:
        return
    kinds = "; ".join(f"{tool}: {_name_files(paths)}" for tool, paths in paths_of.items())
    places = " and ".join(str(folder) for folder in folders)
    raise UsageError(
        f"{places}: files of {len(paths_of)} kinds, whose values share no history ({kinds})",
        hint="keep the reports of each tool in a folder of their own",
    )


def _name_files(paths: list[Path]) -> str:
    named = ", ".join(path.name for path in paths[:_MOST_NAMED])
    surplus = len(paths) - _MOST_NAMED
    return f"{named} and {surplus} more" if surplus > 0 else named
