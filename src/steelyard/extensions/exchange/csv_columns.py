"""Rows with named columns, of CSV or of JSON Lines.

A row is one observation, or a value with its uncertainty and count.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from statistics import fmean
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.series import CsvColumns, Point, Series
from steelyard.core.units import Scalar, parse_float
from steelyard.extensions.exchange.blank_table import is_blank_table, read_blank_table
from steelyard.extensions.exchange.endings import StatusColumns, find_status
from steelyard.extensions.exchange.odd_rows import OddRow, odd_row
from steelyard.extensions.exchange.wide_table import PERCENT, is_percent, lengthen, strip_percent
from steelyard.files.reading import check_width, column_separator, csv_rows

LAUNCHES: Final = ("job", "jobid", "job_id", "slurm_job_id", "slurm_jobid", "launch", "launch_id")
"""Names of columns that name launches, where no option says otherwise."""

_UNQUOTED: Final = "give every line the cells of the header; quote cells that have commas in them"

Row = Mapping[str, str]


def infer(text: str, name: str) -> CsvColumns:
    """Take the first of two columns for the parameter, and the second for the metric.

    Raises
    ------
    UsageError
        Another number of columns.
    """
    if is_blank_table(text) and not column_separator(text, name):
        header, _ = read_blank_table(text, name)
    else:
        header = [cell.strip() for cell in next(csv_rows(text, name), (0, []))[1]]
    if len(header) == 2 and all(header):
        return CsvColumns(header[1], (header[0],))
    raise UsageError(
        f"{name}: --value is missing: which column has the measurements?",
        hint=f"--value COLUMN --parameter COLUMN [--by COLUMNS]; it has {', '.join(header) or 'none'}",
    )


def read(text: str, place: str, columns: CsvColumns) -> tuple[Series, ...]:
    """All series of a CSV file, or of a table that blanks separate.

    Raises
    ------
    UsageError
        An empty file, a column that is missing or there twice, a line with more or fewer cells than the
        header, a parameter that is not a number, or functions that no column of ``by`` tells apart; the
        message names line and column.
    """
    if is_blank_table(text) and not column_separator(text, place):
        titles, cells_of = read_blank_table(text, place)
        table = [(number, dict(zip(titles, cells, strict=True))) for number, cells in cells_of]
        return _read_shaped(titles, table, place, columns)
    rows = csv_rows(text, place)
    header = [name.strip() for name in next(rows, (0, []))[1]]
    twice = next((name for at, name in enumerate(header) if name and name in header[:at]), None)
    if twice is not None:
        first, second = [at for at, name in enumerate(header, start=1) if name == twice][:2]
        raise UsageError(
            f"{place}, line 1: columns {first} and {second} are both named {twice!r}",
            hint="give each column a name of its own",
        )
    if not any(header):
        problem = "its first line names no column" if text.strip() else "the file is empty"
        raise UsageError(
            f"{place}: {problem}", hint="name the columns in the first line, and give a row a line"
        )
    table_rows: list[tuple[int, dict[str, str]]] = []
    for number, cells in rows:
        if not cells:
            continue
        check_width(header, cells, f"{place}, line {number}", hint=_UNQUOTED)
        table_rows.append((number, dict(zip(header, cells, strict=True))))
    return _read_shaped(header, table_rows, place, columns)


def _read_shaped(
    header: Sequence[str], rows: Sequence[tuple[int, dict[str, str]]], place: str, columns: CsvColumns
) -> tuple[Series, ...]:
    """All series of a table that may have a column a scale, and numbers in per cent."""
    if len(columns.parameters) == 1:
        header, rows = lengthen(header, rows, columns.parameters[0], columns.value)
    for name in (columns.value, *columns.parameters):
        if is_percent(rows, name):
            rows = strip_percent(rows, name)
            if name == columns.value and not columns.unit:
                columns = msgspec.structs.replace(columns, unit=PERCENT)
    return read_rows(header, rows, place, columns)


def read_rows(
    header: Sequence[str], rows: Sequence[tuple[int, Row]], place: str, columns: CsvColumns
) -> tuple[Series, ...]:
    """All series of rows with the numbers of their lines.

    A row whose value is not a number, or whose run failed, is left out, and its series says so.
    """
    columns = _find_launch(header, columns)
    texts = [columns.value, *columns.parameters, *columns.by, *_list_optional(columns)]
    for name in texts:
        if name not in header:
            close = get_close_matches(name, header, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"columns: {', '.join(header) or 'none'}"
            raise UsageError(f"{place}: no column {name!r}", hint=hint)
    status = _find_status(header, rows, columns)
    _refuse_pooling(header, rows, place, columns, status)
    groups: dict[tuple[str, ...], _Group] = {}
    for number, row in rows:
        group = groups.setdefault(tuple(row[name] for name in columns.by), _Group())
        at = tuple(_compute_number(row, name, place, number) for name in columns.parameters)
        value = parse_float(row[columns.value])
        ending, reason = status.read(row, f"{place}, line {number}")
        if not math.isfinite(value) or ending != "ok":
            text = reason if math.isfinite(value) else row[columns.value]
            where_lost = ", ".join(f"{name} = {x:g}" for name, x in zip(columns.parameters, at, strict=True))
            group.lost.append(f"{text!r} at {where_lost} (line {number})")
            group.lost_at[at] = None
            continue
        u = _compute_number(row, columns.u, place, number) if columns.u else None
        n = round(_compute_number(row, columns.n, place, number)) if columns.n else 0
        launch = row[columns.launch] if columns.launch else str(number)
        group.points.setdefault(at, []).append((value, u, n))
        group.launches.setdefault(at, []).append(launch)
    if rows and not any(group.points for group in groups.values()):
        first = next(group.lost[0] for group in groups.values() if group.lost)
        raise UsageError(f"{place}: no row has a finite {columns.value}", hint=f"{first}")
    return tuple(_make_series(key, group, columns, place) for key, group in groups.items())


class _Group(msgspec.Struct):
    """The observations of one function, and those that were left out."""

    points: dict[tuple[float, ...], list[tuple[float, float | None, int]]] = {}
    launches: dict[tuple[float, ...], list[str]] = {}
    lost: list[str] = []
    lost_at: dict[tuple[float, ...], None] = {}


def _refuse_pooling(
    header: Sequence[str],
    rows: Sequence[tuple[int, Row]],
    place: str,
    columns: CsvColumns,
    status: StatusColumns,
) -> None:
    """Refuse a column that tells functions apart and that nobody named: its functions would become one."""
    named = {*_list_named(columns), *status.words, *status.codes}
    for name in header:
        if name in named or not name:
            continue
        texts = dict.fromkeys(row[name] for _, row in rows)
        numeric = not any(math.isnan(parse_float(text)) for text in texts)
        if numeric:
            _refuse_odd_row(odd_row(name, rows, columns.parameters, columns.by), place)
        if not (_is_factor(name, rows, columns) if numeric else _identifies(name, rows, columns)):
            continue
        examples = ", ".join(list(texts)[:4]) + (", …" if len(texts) > 4 else "")
        parameter = f"--parameter {name} makes it one more parameter; " if numeric else ""
        raise UsageError(
            f"{place}: column {name!r} tells {len(texts)} functions apart ({examples}), and is not named",
            hint=f"{parameter}--by {name} models each; --pool {name} takes them for one",
        )


def _refuse_odd_row(odd: OddRow | None, place: str) -> None:
    if odd is not None:
        raise UsageError(
            f"{place}, line {odd.line}: {odd.column} is {odd.value}, and {odd.usual}: a run of another"
            " configuration",
            hint=f"delete that row; --by {odd.column} models each; --pool {odd.column} takes them for one",
        )


def _identifies(name: str, rows: Sequence[tuple[int, Row]], columns: CsvColumns) -> bool:
    """Whether rows that would be one point differ in a column each of whose texts is at several points.

    What differs from row to row, such as a time of day, merely describes.
    """
    at: dict[str, set[tuple[str, ...]]] = {}
    together: dict[tuple[str, ...], set[str]] = {}
    for _, row in rows:
        at.setdefault(row[name], set()).add(tuple(row[parameter] for parameter in columns.parameters))
        point = tuple(row[text] for text in (*columns.by, *columns.parameters))
        together.setdefault(point, set()).add(row[name])
    return any(len(texts) > 1 for texts in together.values()) and all(len(texts) > 1 for texts in at.values())


def _is_factor(name: str, rows: Sequence[tuple[int, Row]], columns: CsvColumns) -> bool:
    """Whether a column of numbers looks like a factor of a design.

    Each of its values is then at each point, and equally often. What counts from 0 or 1 numbers repetitions.
    """
    cells = Counter(
        (row[name], *(row[text] for text in (*columns.by, *columns.parameters))) for _, row in rows
    )
    values = {value for value, *_ in cells}
    points = {tuple(point) for _, *point in cells}
    if min(len(values), len(points)) < 2:
        return False
    numbers = sorted(map(parse_float, values))
    counts_up = any(numbers == [*range(first, first + len(numbers))] for first in (0, 1))
    crossed = len(cells) == len(values) * len(points) and len(set(cells.values())) == 1
    return crossed and not counts_up


def _make_series(key: tuple[str, ...], group: _Group, columns: CsvColumns, place: str) -> Series:
    labels: dict[str, Scalar] = dict(zip(columns.by, key, strict=True))
    out = []
    for at, values in sorted(group.points.items()):
        if columns.u and len(values) > 1:
            raise UsageError(
                f"{place}: {len(values)} summaries at {dict(zip(columns.parameters, at, strict=True))}",
                hint="name the columns that tell functions apart: --by COLUMN",
            )
        observed = [value for value, _, _ in values]
        if columns.launch:
            observed = _average(observed, group.launches[at])
        out.append(Point(at, tuple(observed), values[0][1], values[0][2]))
    return Series(
        "/".join(key),
        columns.value,
        columns.unit,
        columns.parameters,
        tuple(out),
        labels,
        lost=tuple(group.lost),
        lost_at=tuple(group.lost_at),
    )


def _average(values: Sequence[float], launches: Sequence[str]) -> list[float]:
    """Return one mean a launch."""
    by_launch: dict[str, list[float]] = {}
    for value, launch in zip(values, launches, strict=True):
        by_launch.setdefault(launch, []).append(value)
    return [fmean(members) for members in by_launch.values()]


def _find_launch(header: Sequence[str], columns: CsvColumns) -> CsvColumns:
    """Return the columns with the one that names launches.

    It is the one that ``unit`` names, or one that is called so.
    """
    assigned_names = {columns.value, *columns.parameters, *columns.by, *columns.pool}
    if columns.unit in header and columns.unit not in assigned_names:
        return msgspec.structs.replace(columns, launch=columns.unit, unit="")
    named = [name for name in header if name.lower() in LAUNCHES and name not in assigned_names]
    if columns.launch is None and len(named) == 1 and columns.u is None:
        return msgspec.structs.replace(columns, launch=named[0])
    return columns


def _find_status(
    header: Sequence[str], rows: Sequence[tuple[int, Row]], columns: CsvColumns
) -> StatusColumns:
    """Return the columns that say what became of a run; those with a role of their own are none."""
    named = [name for name in _list_named(columns) if name != columns.status]
    return find_status(header, [row for _, row in rows], named, columns.status, columns.ok)


def _list_named(columns: CsvColumns) -> list[str]:
    return [columns.value, *columns.parameters, *columns.by, *columns.pool, *_list_optional(columns)]


def _list_optional(columns: CsvColumns) -> list[str]:
    return [name for name in (columns.u, columns.n, columns.launch, columns.status) if name]


def _compute_number(row: Row, name: str | None, place: str, line: int) -> float:
    text = row.get(name or "") or ""
    value = parse_float(text)
    if not math.isfinite(value):
        raise UsageError(
            f"{place}, line {line}: {name} is {text!r}", hint="give a finite number, or leave the row out"
        )
    return value
