"""Part (i): memory of a process before and after every rank has talked to every other, and where it ends.

Values are kept in ``connected.csv``, a row for each launch and metric.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import heaps

from steelyard.api.scaling import (
    Exceeds,
    Expectation,
    ModelRequest,
    NotModelled,
    Question,
    Series,
    find_where_it_exceeds,
    model_series,
    series_of,
)

FILE: Final = Path(__file__).resolve().parent / "connected.csv"
METRICS: Final = ("private_bytes", "proportional_bytes", "heap_bytes")
EXPECTED: Final = Expectation("O(1)", heaps.DEVIATION)
"""MPI's own memory in Table 1 of DOI 10.1109/TPDS.2019.2896993."""
LIMIT: Final = 3e9
"""Bytes of a process where eight share the 24 GB of a node, as on Juropa (there, p. 9)."""
ROWS: Final = (
    ("process, private", "process", "private_bytes"),
    ("after Alltoall, private", "process_after_alltoall", "private_bytes"),
    ("process, proportional (PSS)", "process", "proportional_bytes"),
    ("after Alltoall, proportional (PSS)", "process_after_alltoall", "proportional_bytes"),
)
HEAP: Final = ("alltoall", "heap_bytes")
"""What Alltoall takes of the heap and keeps; it comes in steps, and is shown as it is."""


class Row(NamedTuple):
    """A value of one launch, the maximum over its ranks."""

    implementation: str
    op: str
    metric: str
    p: int
    value: float


def rows_of(series: Iterable[Series]) -> Iterator[Row]:
    """Rows of what the tables show."""
    selection = {HEAP, *((op, metric) for _, op, metric in ROWS)}
    for item in series:
        if (item.labels["op"], item.metric) in selection:
            for point in item.points:
                for value in point.values:
                    yield Row(
                        str(item.labels["implementation"]),
                        str(item.labels["op"]),
                        item.metric,
                        round(point.at[0]),
                        value,
                    )


def kept(file: Path = FILE) -> list[Row]:
    """Rows of the file; none before anything was measured."""
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        return [
            Row(at["implementation"], at["op"], at["metric"], int(at["p"]), float(at["value"]))
            for at in csv.DictReader(lines)
        ]


def keep(rows: Iterable[Row], *, file: Path = FILE) -> None:
    """Write the rows, in an order that does not depend on that of the runs."""
    partial = file.with_suffix(".partial")
    with partial.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(row._replace(value=round(row.value)) for row in sorted(rows))
    partial.replace(file)


def tables(rows: Sequence[Row]) -> str:
    """One table a library: the model of each value, its rank, and the wall."""
    parts = []
    for library in dict.fromkeys(row.implementation for row in rows):
        selection = [row for row in rows if row.implementation == library]
        head = "| memory of a process | model, B | δ | rank (probability) | reaches 3 GB at p (95 %) |"
        lines = [
            f"| {' | '.join(_cells(title, _series(selection, op, metric)))} |" for title, op, metric in ROWS
        ]
        table = [head, "|---" * 5 + "|", *lines]
        parts.append("\n".join([f"### {library}, memory", "", *table, "", _heap(selection)]))
    return "\n\n".join(parts)


def _heap(rows: Sequence[Row]) -> str:
    """Medians over launches."""
    values: dict[int, list[float]] = {}
    for row in rows:
        if (row.op, row.metric) == HEAP:
            values.setdefault(row.p, []).append(row.value)
    columns = [f"{statistics.median(bytes_) / 1e3:.4g}" for _, bytes_ in sorted(values.items())]
    scales = ", ".join(str(p) for p in sorted(values))
    return f"Heap that Alltoall takes, in kB, at p = {scales}: {', '.join(columns)}."


def _series(rows: Sequence[Row], op: str, metric: str) -> Series:
    selection = [row for row in rows if (row.op, row.metric) == (op, metric)]
    return series_of(
        op,
        ("p",),
        [(row.p,) for row in selection],
        [(row.value,) for row in selection],
        metric=metric,
        unit="B",
    )


def _cells(title: str, series: Series) -> tuple[str, ...]:
    question = Question(expectations={series.name: EXPECTED}, parameter="p")
    result = model_series(ModelRequest([series], question))
    if result.failed:
        return (title, result.failed[0].reason, "", "", "")
    (model,) = result.models
    checked = model.validation
    assert checked is not None  # noqa: S101 -- all have an expectation
    sure = max(checked.probability.match, checked.probability.approximate, checked.probability.none)
    rank = f"{heaps.SIGNS[checked.rank]} ({sure:.2f})"
    return (
        title,
        model.text(),
        checked.divergence.big_o("p"),
        rank,
        _wall(find_where_it_exceeds(series, LIMIT, question)),
    )


def _wall(limit: Exceeds | NotModelled) -> str:
    if isinstance(limit, NotModelled):
        return limit.reason
    ends = [f"{end:,.0f}" if end is not None else "never" for end in (limit.earliest, limit.latest)]
    if limit.at is None:
        far = "not within 16,384 times the range"
        return far if ends == ["never", "never"] else f"{far} ({' … '.join(ends)})"
    return f"{limit.at:,.0f} ({' … '.join(ends)})"
