"""JSON Lines with keys of the user's own: one object a row; a key inside of an object is ``outer.inner``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.core.errors import UsageError
from steelyard.core.series import CsvColumns, Series
from steelyard.extensions.exchange.csv_columns import read_rows
from steelyard.files.reading import parse_json

_HINT = 'write one object a line, as in {"op": "bcast", "p": 4, "latency_s": 1.2e-5}'


def read(text: str, place: str, columns: CsvColumns) -> tuple[Series, ...]:
    """All series; a value may be a list of repetitions, and keys that a row lacks are empty.

    Raises
    ------
    UsageError
        A line is not an object, or a key is in no row.
    """
    rows: list[tuple[int, dict[str, str]]] = []
    header: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        entry = parse_json(line, f"{place}, line {number}", hint=_HINT)
        if not isinstance(entry, Mapping):
            raise UsageError(f"{place}, line {number}: not an object", hint=_HINT)
        flat = dict(_list_flat(entry))
        header |= dict.fromkeys(flat)
        values = flat.get(columns.value)
        numbers = values if isinstance(values, list) else [values]
        rows += [(number, {**_get_texts(flat), columns.value: _format_text(value)}) for value in numbers]
    full = [(number, {name: row.get(name, "") for name in header}) for number, row in rows]
    return read_rows(list(header), full, place, columns)


def _list_flat(entry: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from _list_flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _get_texts(flat: Mapping[str, Any]) -> dict[str, str]:
    return {key: _format_text(value) for key, value in flat.items()}


def _format_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
