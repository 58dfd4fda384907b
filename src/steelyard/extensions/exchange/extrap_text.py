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
from steelyard.extensions.exchange.collect import Observations

_HINT = "correct that line: lines start with PARAMETER, POINTS, REGION, METRIC or DATA"


def reads(head: str) -> bool:
    """Whether a file that starts like this is in this format."""
    lines = (line.strip() for line in head.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first.split(" ")[0].split("\t")[0] in ("PARAMETER", "POINTS", "REGION", "METRIC")


def read(text: str, file: str) -> tuple[Series, ...]:
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
            points += _get_points(rest, len(parameters), file, number)
        elif key in ("REGION", "METRIC"):
            _refuse_too_few(place, len(points), region, metric, file, number)
            region, metric = (rest, metric) if key == "REGION" else (region, rest)
            place = 0
        elif key == "DATA":
            if not parameters or place >= len(points):
                _fail(file, number, f"DATA line {place + 1} of {region!r} but {len(points)} POINTS")
            collected = collected or Observations(tuple(parameters))
            collected.add(region, metric, points[place], _read_numbers(rest.split(" "), file, number))
            place += 1
        else:
            _fail(file, number, f"{key!r} means nothing here")
    _refuse_too_few(place, len(points), region, metric, file, len(text.splitlines()))
    return collected.series() if collected else ()


def _refuse_too_few(place: int, points: int, region: str, metric: str, file: str, number: int) -> None:
    """Refuse fewer DATA lines than points: which ones are missing cannot be told."""
    if 0 < place < points:
        text = " ".join(part for part in (region, metric) if part)
        _fail(file, number, f"{text or 'the data'} has {place} DATA lines, but there are {points} POINTS")


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
    lines.append("POINTS " + " ".join(_format_point(at) for at in grid))
    for function in every:
        if function.parameters != first.parameters or [point.at for point in function.points] != grid:
            raise UsageError(
                f"{function.name or function.metric}: its points are not those of"
                f" {first.name or first.metric}",
                hint="write it as extrap-json, where every function has its own points",
            )
        lines += ["", f"REGION {' '.join(function.name.split())}", f"METRIC {function.metric}"]
        lines += ["DATA " + " ".join(repr(value) for value in point.values) for point in function.points]
    return "\n".join(lines) + "\n"


def _format_point(at: tuple[float, ...]) -> str:
    text = " ".join(f"{x:g}" if float(f"{x:g}") == x else repr(x) for x in at)
    return text if len(at) == 1 else f"({text})"


def _get_points(rest: str, parameters: int, file: str, number: int) -> list[tuple[float, ...]]:
    if not parameters:
        _fail(file, number, "POINTS before PARAMETER")
    if "(" in rest:
        groups = [re.split(r"[ ,]+", group.strip()) for group in re.findall(r"\(([^()]*)\)", rest)]
    else:
        words = rest.split(" ")
        groups = [words[i : i + parameters] for i in range(0, len(words), parameters)]
    points = [tuple(_read_numbers(group, file, number)) for group in groups]
    for point in points:
        if not all(map(math.isfinite, point)):
            _fail(file, number, f"point {point} is not finite")
        if len(point) != parameters:
            _fail(file, number, f"point {point} has {len(point)} coordinates, not {parameters}")
    return points


def _read_numbers(words: list[str], file: str, number: int) -> list[float]:
    out = []
    for word in words:
        try:
            value = float(word)
        except ValueError:
            _fail(file, number, f"{word!r} is not a number")
        out.append(value)
    return out


def _fail(file: str, number: int, problem: str) -> NoReturn:
    raise UsageError(f"{file}, line {number}: {problem}", hint=_HINT)
