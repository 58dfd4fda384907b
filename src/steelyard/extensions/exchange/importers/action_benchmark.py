"""github-action-benchmark's list, which scripts write for that action: a name, a unit and one value each."""

from __future__ import annotations

from typing import Final

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FileContents,
    ImportedSeries,
    any_unit,
    direction_of,
    identifier,
)

TOOL: Final = "github-action-benchmark"
ENTRY: Final = frozenset({"name", "unit", "value"})
"""Keys of each entry."""

_NAMES: Final = {"s": "time_s", "B": "bytes", "1/s": "rate", "B/s": "throughput", "": "value"}
"""Metrics of units, which are all that a list says of them."""
_PARTS: Final = ("/iteration", "/iter", "/op", "/run", "/call")


class _Entry(msgspec.Struct, frozen=True):
    name: str
    unit: str
    value: float | str


def read(document: object, _place: str) -> FileContents:
    """All entries; a time or a rate says which side is better, any other unit does not."""
    series = []
    skipped = {}
    for entry in msgspec.convert(document, list[_Entry]):
        part = next((part for part in _PARTS if entry.unit.endswith(part)), "")
        unit = any_unit(entry.unit.removesuffix(part))
        try:
            value = float(entry.value) * unit.scale
        except ValueError:
            skipped[entry.name] = f"its value is {entry.value!r}"
            continue
        metric = _NAMES.get(unit.si) or identifier(unit.si)
        better = direction_of(unit.si) or "neither"
        levels: dict[str, Scalar] = {"benchmark": entry.name}
        series.append(ImportedSeries(levels, metric, unit.si, ((value,),), better, entry.name))
    return FileContents(TOOL, tuple(series), skipped=skipped)
