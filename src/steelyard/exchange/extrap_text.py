"""Extra-P's text format: ``PARAMETER``, ``POINTS``, ``REGION``, ``METRIC`` and one ``DATA`` line a point.

Also read: several parameters in one line, points with and without parentheses, comments with ``#``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NoReturn

from steelyard.core.errors import UsageError
from steelyard.core.series import Series
from steelyard.exchange.collect import Observations

_HINT = "correct that line: lines start with PARAMETER, POINTS, REGION, METRIC or DATA"


def reads(head: str) -> bool:
    """Whether a file that starts like this is in this format."""
    lines = (line.strip() for line in head.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first.split(" ")[0].split("\t")[0] in ("PARAMETER", "POINTS", "REGION", "METRIC")


def read(text: str, where: str) -> tuple[Series, ...]:
    """All series of a file.

    Raises
    ------
    UsageError
        A line that means nothing; the message names it.
    """
    parameters: list[str] = []
    points: list[tuple[float, ...]] = []
    collected: Observations | None = None
    region, metric, place = "", "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, _, rest = re.sub(r"\s+", " ", line.strip()).partition(" ")
        if key == "PARAMETER":
            parameters += rest.split(" ")
        elif key == "POINTS":
            points += _get_points(rest, len(parameters), where, number)
        elif key in ("REGION", "METRIC"):
            _refuse_too_few(place, len(points), region, metric, where, number)
            region, metric = (rest, metric) if key == "REGION" else (region, rest)
            place = 0
        elif key == "DATA":
            if not parameters or place >= len(points):
                _fail(where, number, f"DATA line {place + 1} of {region!r} but {len(points)} POINTS")
            collected = collected or Observations(tuple(parameters))
            collected.add(region, metric, points[place], _numbers(rest.split(" "), where, number))
            place += 1
        else:
            _fail(where, number, f"{key!r} means nothing here")
    _refuse_too_few(place, len(points), region, metric, where, len(text.splitlines()))
    return collected.series() if collected else ()


def _refuse_too_few(place: int, points: int, region: str, metric: str, where: str, number: int) -> None:
    """Refuse fewer DATA lines than points: which ones are missing cannot be told."""
    if 0 < place < points:
        text = " ".join(part for part in (region, metric) if part)
        _fail(where, number, f"{text or 'the data'} has {place} DATA lines, but there are {points} POINTS")


def write(series: Iterable[Series]) -> str:
    """One block a series.

    This format has one list of points for all regions.

    Raises
    ------
    UsageError
        Series have different points, which this format cannot say.
    """
    every = list(series)
    if not every:
        return ""
    first = every[0]
    lines = [f"PARAMETER {name}" for name in first.parameters]
    grid = [point.at for point in first.points]
    lines.append("POINTS " + " ".join(_get_point(at) for at in grid))
    for one in every:
        if one.parameters != first.parameters or [point.at for point in one.points] != grid:
            raise UsageError(
                f"{one.name or one.metric}: its points are not those of {first.name or first.metric}",
                hint="write it as extrap-json, where every function has its own points",
            )
        lines += ["", f"REGION {' '.join(one.name.split())}", f"METRIC {one.metric}"]
        lines += ["DATA " + " ".join(repr(value) for value in point.values) for point in one.points]
    return "\n".join(lines) + "\n"


def _get_point(at: tuple[float, ...]) -> str:
    text = " ".join(f"{x:g}" if float(f"{x:g}") == x else repr(x) for x in at)
    return text if len(at) == 1 else f"({text})"


def _get_points(rest: str, parameters: int, where: str, number: int) -> list[tuple[float, ...]]:
    if not parameters:
        _fail(where, number, "POINTS before PARAMETER")
    if "(" in rest:
        groups = [re.split(r"[ ,]+", group.strip()) for group in re.findall(r"\(([^()]*)\)", rest)]
    else:
        words = rest.split(" ")
        groups = [words[i : i + parameters] for i in range(0, len(words), parameters)]
    points = [tuple(_numbers(group, where, number)) for group in groups]
    for point in points:
        if not all(map(math.isfinite, point)):
            _fail(where, number, f"point {point} is not finite")
        if len(point) != parameters:
            _fail(where, number, f"point {point} has {len(point)} coordinates, not {parameters}")
    return points


def _numbers(words: list[str], where: str, number: int) -> list[float]:
    out = []
    for word in words:
        try:
            value = float(word)
        except ValueError:
            _fail(where, number, f"{word!r} is not a number")
        out.append(value)
    return out


def _fail(where: str, number: int, what: str) -> NoReturn:
    raise UsageError(f"{where}, line {number}: {what}", hint=_HINT)
