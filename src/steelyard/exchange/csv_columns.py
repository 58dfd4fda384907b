"""CSV with named columns: one observation a row, or a value with its uncertainty and count."""

from __future__ import annotations

import csv
import io
import math
from difflib import get_close_matches

import msgspec

from steelyard.errors import UsageError
from steelyard.series import Point, Series
from steelyard.units import Scalar


class Columns(msgspec.Struct, frozen=True):
    """What the columns of a CSV file are.

    Attributes
    ----------
    value : str
        The metric.
    parameters : tuple of str
        What varies, as numbers.
    by : tuple of str
        What tells functions apart.
    u, n : str or None
        Standard uncertainty of the value and number of launches behind it.
    unit : str
    """

    value: str
    parameters: tuple[str, ...]
    by: tuple[str, ...] = ()
    u: str | None = None
    n: str | None = None
    unit: str = ""


def read(text: str, where: str, columns: Columns) -> tuple[Series, ...]:
    """All series of a file.

    Raises
    ------
    UsageError
        A column that is not there, a cell that is no number; the message names line and column.
    """
    rows = csv.DictReader(io.StringIO(text))
    header = [name.strip() for name in rows.fieldnames or ()]
    rows.fieldnames = header
    wanted = [columns.value, *columns.parameters, *columns.by, *(c for c in (columns.u, columns.n) if c)]
    for name in wanted:
        if name not in header:
            close = get_close_matches(name, header, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"columns: {', '.join(header)}"
            raise UsageError(f"{where}: there is no column {name!r}", hint=hint)
    groups: dict[tuple[str, ...], dict[tuple[float, ...], list[tuple[float, float | None, int]]]] = {}
    for number, row in enumerate(rows, start=2):
        at = tuple(_number(row, name, where, number) for name in columns.parameters)
        value = _number(row, columns.value, where, number)
        u = _number(row, columns.u, where, number) if columns.u else None
        n = round(_number(row, columns.n, where, number)) if columns.n else 0
        key = tuple(row[name] or "" for name in columns.by)
        groups.setdefault(key, {}).setdefault(at, []).append((value, u, n))
    return tuple(_series(key, points, columns, where) for key, points in groups.items())


def _series(
    key: tuple[str, ...],
    points: dict[tuple[float, ...], list[tuple[float, float | None, int]]],
    columns: Columns,
    where: str,
) -> Series:
    labels: dict[str, Scalar] = dict(zip(columns.by, key, strict=True))
    out = []
    for at, found in sorted(points.items()):
        if columns.u and len(found) > 1:
            raise UsageError(
                f"{where}: {len(found)} summaries at {dict(zip(columns.parameters, at, strict=True))}",
                hint="name the columns that tell functions apart: --by COLUMN",
            )
        out.append(Point(at, tuple(value for value, _, _ in found), found[0][1], found[0][2]))
    return Series("/".join(key), columns.value, columns.unit, columns.parameters, tuple(out), labels)


def _number(row: dict[str, str], name: str | None, where: str, line: int) -> float:
    text = row.get(name or "") or ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(
            f"{where}, line {line}: {name} is {text!r}", hint="give a finite number, or leave the row out"
        )
    return value
