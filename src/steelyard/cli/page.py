"""Pages and figures beside an answer, by the extension that writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steelyard.core.errors import UsageError
from steelyard.core.extension import find_writer, load


def save_page(file: Path, *answers: object, **chosen: Any) -> None:
    """Write a page of open records, directories of records, or answers that are no record.

    Parameters
    ----------
    chosen
        For the answers from records, as for ``Laboratory.analyze``.

    Raises
    ------
    UsageError
        No extension writes pages, or the file cannot be written.
    """
    _find_writer("pages", file)(file, *answers, **chosen)


def save_figures(directory: Path, *answers: object) -> list[Path]:
    """Write the charts of what is shown into a directory, and return their files.

    Raises
    ------
    UsageError
        No extension writes figures, or the directory cannot be written.
    """
    files: list[Path] = _find_writer("figures", directory)(directory, *answers)
    return files


def _find_writer(kind: str, file: Path) -> Any:
    place = find_writer(kind)
    if place is None:
        raise UsageError(
            f"{file}: no installed extension writes {kind}",
            hint="leave the option out, or install Steelyard with its extensions",
        )
    return load(place)
