"""divan's table: a tree of benchmarks, each with the median of its samples, all of one process.

With divan's ``AllocProfiler`` there are counts and bytes of allocations, too. divan prints four digits: what
it shortens (``12.35 KB``) is no number that can be compared, since two such numbers are equal by rounding.
"""

from __future__ import annotations

import math
import re
from typing import Final

from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries, read_unit

TOOL = "divan"

_HEAD: Final = re.compile(
    r"^(?P<crate>\S+)\s+fastest\s+│ slowest\s+│ median\s+│ mean\s+│ samples\s+│ iters\s*$", re.MULTILINE
)
_ROW: Final = re.compile(r"^(?P<bars>(?:[│ ]  )*)[├╰]─ (?P<rest>.*)$")
_VALUE: Final = re.compile(r"(?P<name>\S.*?)\s{2,}[0-9.]+ \S+")
_MEDIAN: Final = 2
"""Column of the table, from 0."""
_BARS: Final = 5
"""Between its columns; a name may have others."""
_KIND: Final = re.compile(r"^[│ ]*(?P<kind>max alloc|alloc|dealloc|grow|shrink):")
_COUNT: Final = re.compile(r"(?P<number>[0-9.]+)(?P<unit>.*)")
_WHOLE_KB: Final = 10.0
"""Below which four digits have every byte."""


def is_output(text: str) -> bool:
    """Whether the text has the head of such a table."""
    return _HEAD.search(text) is not None


def read(text: str, origin: str) -> FileContents:
    """All benchmarks: ``crate::module::function::argument``, as divan's filters take it.

    Raises
    ------
    UsageError
        A time in an unknown unit.
    """
    series = []
    path: list[str] = []
    kind = ""
    for line in text.splitlines():
        if head := _HEAD.match(line):
            path, kind = [head["crate"]], ""
            continue
        row = _ROW.match(line)
        if row is None:
            title = "::".join(path)
            if heading := _KIND.match(line):
                kind = heading["kind"].replace(" ", "_")
            elif path and kind:
                series += _read_memory(line, kind, title)
            continue
        if not path:
            continue
        kind = ""
        cells = row["rest"].rsplit("│", _BARS)
        value = _VALUE.match(cells[0])
        name = value["name"] if value else cells[0].strip()
        path = [*path[: 1 + len(row["bars"]) // 3], name]
        if value is None:
            continue
        title = "::".join(path)
        number, unit_name = cells[_MEDIAN].split()
        unit = read_unit(unit_name, f"{origin}: {title}")
        series.append(
            ImportedSeries(
                {"benchmark": title}, "time_s", unit.si, ((float(number) * unit.scale,),), name=title
            )
        )
    return FileContents(TOOL, tuple(series))


def _read_memory(line: str, kind: str, title: str) -> list[ImportedSeries]:
    """Return a count or bytes of allocations of the benchmark above; NaN where they are shortened."""
    cells = line.lstrip("│ ").split("│")
    match = _COUNT.fullmatch(cells[_MEDIAN].strip()) if len(cells) > _MEDIAN else None
    if match is None or match["unit"].strip().endswith("/s"):
        return []
    metric, unit = (f"{kind}_bytes", "B") if match["unit"] else (f"{kind}s", "")
    values = ((_read_number(float(match["number"]), match["unit"].strip()),),)
    return [ImportedSeries({"benchmark": title}, metric, unit, values, "lower", title)]


def _read_number(number: float, unit: str) -> float:
    """Return a count or a number of bytes; NaN where four digits are not all of it."""
    if unit in ("", "B"):
        return number
    return float(round(number * 1e3)) if unit == "KB" and number < _WHOLE_KB else math.nan
