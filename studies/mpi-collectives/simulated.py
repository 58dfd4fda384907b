"""Latencies of the simulated parts as the study keeps them: ``simulated.csv``, a row for each value.

They are kept to a picosecond; the simulator's own precision is a nanosecond.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace
from replacing import replace_rows

from steelyard.api.scaling import Series, series_of
from steelyard.api.text import Scalar

FILE: Final = Path(__file__).resolve().parent / "simulated.csv"
LABELS: Final = {
    "topologies": ("machine",),
    "selectors": ("selector",),
    "planted": ("reduce",),
    "noise": ("links", "hosts"),
    "allocations": ("machine", "placement", "day"),
    "sizes": ("machine", "bytes"),
}
"""What tells the series of one operation apart, by part."""


class Row(NamedTuple):
    """One simulation of one operation; ``of`` has its labels, as in ``links=0.1 hosts=0.5``.

    ``latency_s`` is ``None`` where the simulator did not end within its time.
    """

    part: str
    of: str
    op: str
    p: int
    latency_s: float | None


def rows_of(part: str, series: Iterable[Series]) -> Iterator[Row]:
    """Rows of series that have the labels of the part, and ``op``."""
    for item in series:
        result = " ".join(f"{name}={item.labels[name]}" for name in LABELS[part])
        for point in item.points:
            for value in point.values:
                yield Row(part, result, str(item.labels["op"]), round(point.at[0]), value)


def series_in(rows: Iterable[Row]) -> list[Series]:
    """Series of rows, named by their operation; their labels are texts."""
    result: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in rows:
        if row.latency_s is not None:
            result.setdefault((row.of, row.op), []).append((row.p, row.latency_s))
    series = []
    for (label, op), values in result.items():
        labels: dict[str, Scalar] = {}
        labels |= dict(item.split("=", 1) for item in label.split())
        function = series_of(
            op,
            ("p",),
            [(p,) for p, _ in values],
            [(value,) for _, value in values],
            metric="latency_quantile_s",
            unit="s",
            labels=labels | {"op": op},
            counts=True,
        )
        series.append(replace(function, simulated=True))
    return series


def kept(*parts: str, file: Path = FILE) -> list[Row]:
    """Rows of these parts, in the order of the file; none before anything was simulated."""
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [
            Row(
                at["part"],
                at["of"],
                at["op"],
                int(at["p"]),
                float(at["latency_s"]) if at["latency_s"] else None,
            )
            for at in csv.DictReader(lines)
        ]
    return [row for row in rows if row.part in parts]


def as_kept(rows: Iterable[Row]) -> list[Row]:
    """Rows to a picosecond, in the order of the file."""
    rounded = (
        row if row.latency_s is None else row._replace(latency_s=round(row.latency_s, 12)) for row in rows
    )
    return sorted(rounded, key=lambda row: (row.part, row.of, row.op, row.p))


def keep(part: str, rows: Iterable[Row], *, file: Path = FILE) -> None:
    """Put ``rows`` in the place of those that the file has of the part."""
    remaining = [name for name in (*LABELS, *(f"{name}-further" for name in LABELS)) if name != part]
    new = [*rows]

    def add_rows() -> list[list[object]]:
        written = as_kept([*kept(*remaining, file=file), *new])
        return [["" if cell is None else cell for cell in row] for row in written]

    replace_rows(file, Row._fields, add_rows)
