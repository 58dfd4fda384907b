"""Which format a file is in, and reading it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.series import CsvColumns, Series
from steelyard.extensions.exchange import csv_columns, extrap_experiment, extrap_json, extrap_text, json_rows
from steelyard.extensions.exchange.blank_table import is_blank_table
from steelyard.files.reading import TAB_SUFFIXES, column_separator, read_text

FORMATS: Final = (
    "extrap-text",
    "extrap-json",
    "json-lines",
    "talpas",
    "extra-p",
    "csv",
    "tsv",
    "blank-separated",
)
_READERS: Final[dict[str, Callable[[str, str], tuple[Series, ...]]]] = {
    "extrap-text": extrap_text.read,
    "extrap-json": extrap_json.read,
    "json-lines": extrap_json.read_lines,
    "talpas": partial(extrap_json.read_lines, talpas=True),
}
TABLE_SUFFIXES: Final = (".csv", *TAB_SUFFIXES)
_SUFFIXES: Final = {".txt": "extrap-text", ".json": "extrap-json", ".jsonl": "json-lines"}


def read_series(
    path: Path, columns: CsvColumns | None = None, *, inclusive: bool = False
) -> tuple[Series, ...]:
    """All series of a file, in whatever of ``FORMATS`` it is.

    CSV, TSV, and JSON Lines with keys of one's own, need their ``columns`` named. A directory is one of
    Caliper's profiles, or of CUBE profiles, ``inclusive``: with what call paths below cost.

    Raises
    ------
    UsageError
        The file cannot be read, or is in no known format.
    MachineError
        The library that reads it is not installed.
    """
    if path.is_dir():
        from steelyard.extensions.exchange import caliper, cube

        if caliper.holds_caliper(path):
            return caliper.read(path)
        return cube.read(path, inclusive=inclusive)
    if path.suffix.lower() == extrap_experiment.SUFFIX:
        return extrap_experiment.read(path)
    hint = f"write one of these formats: {', '.join(FORMATS)}"
    text = read_text(path, hint=hint)
    series = _read(_format(path, text), text, str(path), columns)
    if not series:
        raise UsageError(f"{path}: no measurements in it", hint=hint)
    return series


def _read(form: str, text: str, place: str, columns: CsvColumns | None) -> tuple[Series, ...]:
    if columns is not None and form in ("json-lines", "extrap-json"):
        return json_rows.read(text, place, columns)
    if form in ("csv", "blank-separated"):
        return csv_columns.read(text, place, columns or csv_columns.infer(text, place))
    return _READERS[form](text, place)


def _format(path: Path, text: str) -> str:
    head = text.lstrip()[:4096]
    if extrap_text.reads(head):
        return "extrap-text"
    if head.startswith("{"):
        first = head.split("\n", 1)[0]
        if not first.rstrip().endswith("}"):
            return "extrap-json"
        if '"parameters"' in first and '"value"' in first and '"callpath"' in first:
            return "talpas"
        lines = '"params"' in first or path.suffix.lower() in (".jsonl", ".ndjson")
        return "json-lines" if lines else "extrap-json"
    suffix = path.suffix.lower()
    if suffix in TABLE_SUFFIXES or (suffix not in _SUFFIXES and column_separator(text, str(path))):
        return "csv"
    if is_blank_table(text):
        return "blank-separated"
    raise UsageError(
        f"{path}: in no format that is known here", hint=f"write one of these formats: {', '.join(FORMATS)}"
    )
