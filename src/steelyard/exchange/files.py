"""Which format a file is in, and reading it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from steelyard.errors import UsageError
from steelyard.exchange import csv_columns, extrap_json, extrap_text
from steelyard.exchange.csv_columns import Columns
from steelyard.series import Series

FORMATS: Final = ("extrap-text", "extrap-json", "json-lines", "csv")
_SUFFIXES: Final = {".txt": "extrap-text", ".json": "extrap-json", ".jsonl": "json-lines", ".csv": "csv"}


def read_series(path: Path, columns: Columns | None = None) -> tuple[Series, ...]:
    """All series of a file, in whatever of ``FORMATS`` it is; CSV needs its ``columns`` named. A directory is
    one of CUBE profiles.

    Raises
    ------
    UsageError
        The file cannot be read, or is in no known format.
    MachineError
        The library that reads it is not installed.
    """
    if path.is_dir():
        from steelyard.exchange import cube

        return cube.read(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"{path}: not UTF-8 text", hint=f"write one of these formats: {', '.join(FORMATS)}"
        ) from None
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}", hint=f"see who may read what there: ls -ld {path}"
        ) from None
    found = _format(path, text)
    if found == "extrap-text":
        series = extrap_text.read(text, str(path))
    elif found == "extrap-json":
        series = extrap_json.read(text, str(path))
    elif found == "json-lines":
        series = extrap_json.read_lines(text, str(path))
    elif columns is None:
        hint = "steelyard model FILE.csv --value COLUMN --parameter COLUMN [--by COLUMNS]"
        raise UsageError(f"{path}: which columns of a CSV file to model was not said", hint=hint)
    else:
        series = csv_columns.read(text, str(path), columns)
    if not series:
        raise UsageError(
            f"{path}: there is no measurement in it", hint=f"write one of these formats: {', '.join(FORMATS)}"
        )
    return series


def _format(path: Path, text: str) -> str:
    head = text.lstrip()[:4096]
    if extrap_text.reads(head):
        return "extrap-text"
    if head.startswith("{"):
        first = head.split("\n", 1)[0]
        return "json-lines" if '"params"' in first and first.rstrip().endswith("}") else "extrap-json"
    found = _SUFFIXES.get(path.suffix.lower())
    if found == "csv" or (found is None and "," in head.split("\n", 1)[0]):
        return "csv"
    raise UsageError(
        f"{path}: in no format that is known here", hint=f"write one of these formats: {', '.join(FORMATS)}"
    )
