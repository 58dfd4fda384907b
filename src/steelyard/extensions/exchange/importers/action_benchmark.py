"""github-action-benchmark's list, which scripts write for that action: a name, a unit and one value each."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FileContents,
    ImportedSeries,
    any_unit,
    name_metric,
    side_of,
)

TOOL: Final = "github-action-benchmark"
ENTRY: Final = frozenset({"name", "unit", "value"})
"""Keys of each entry."""

_PARTS: Final = ("/iteration", "/iter", "/op", "/run", "/call")


class _Entry(msgspec.Struct, frozen=True):
    name: str
    unit: str
    value: float | str | None


def read(document: object, _place: str) -> FileContents:
    """All entries; a time or a rate says which side is better, any other unit does not."""
    series = []
    skipped = {}
    for entry in msgspec.convert(document, list[_Entry]):
        part = next((part for part in _PARTS if entry.unit.endswith(part)), "")
        unit = any_unit(entry.unit.removesuffix(part))
        try:
            value = math.nan if entry.value is None else float(entry.value) * unit.scale
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            skipped[entry.name] = f"its value is {'null' if entry.value is None else repr(entry.value)}"
            continue
        levels: dict[str, Scalar] = {"benchmark": entry.name}
        metric = name_metric(unit.si)
        series.append(ImportedSeries(levels, metric, unit.si, ((value,),), side_of(unit.si), entry.name))
    return FileContents(TOOL, tuple(series), skipped=skipped)
