"""Extra-P's JSON: the schema with nested measurements, the older one with ids, and JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.series import Point, Series
from steelyard.extensions.exchange.collect import UNITS, Observations, make_series
from steelyard.files.reading import parse_json

_HINT = (
    'write {"parameters": ["p"], "measurements": {"main": {"time": [{"point": [4], "values": [1.0]}]}}}, '
    'or lines {"params": {"p": 4}, "metric": "time", "callpath": "main", "value": 1.0}'
)


def read(text: str, place: str) -> tuple[Series, ...]:
    """All series of a JSON document in either schema.

    Raises
    ------
    UsageError
        Not JSON, or not one of the schemas.
    """
    contents = _get_plain(text)
    if contents is not None:
        return contents
    document = parse_json(text, place, hint=_HINT)
    try:
        return _read_old(document) if "callpaths" in document else _find_new(document)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise UsageError(f"{place}: {_describe_missing(error)}", hint=_HINT) from None


class _Entry(msgspec.Struct, frozen=True, gc=False):
    point: tuple[float, ...]
    values: tuple[float, ...]


class _Document(msgspec.Struct, frozen=True):
    parameters: tuple[str, ...]
    measurements: dict[str, dict[str, list[_Entry]]]


def _get_plain(text: str) -> tuple[Series, ...] | None:
    """Return the newer schema in a fifth of the time, where every point stands once and has numbers.

    ``None`` where anything else is in the document.
    """
    try:
        document = msgspec.json.decode(text, type=_Document)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
    out, parameters = [], document.parameters
    for name, metrics in document.measurements.items():
        for metric, entries in metrics.items():
            points = {entry.point: entry.values for entry in entries}
            complete = all(len(at) == len(parameters) and values for at, values in points.items())
            if not complete or len(points) < len(entries):
                return None
            ordered = tuple(Point(at, points[at]) for at in sorted(points))
            out.append(make_series(name, metric, UNITS.get(metric, ""), parameters, ordered))
    return tuple(out)


def _describe_missing(error: Exception) -> str:
    if isinstance(error, OverflowError):
        return "a number is too large for a double, whose largest is 1.8e308"
    return (
        f"no {error} where one is needed" if isinstance(error, KeyError) else f"not Extra-P's JSON ({error})"
    )


def _find_new(document: Mapping[str, Any]) -> tuple[Series, ...]:
    parameters = tuple(str(name) for name in document["parameters"])
    collected = Observations(parameters)
    for name, metrics in document["measurements"].items():
        for metric, points in metrics.items():
            for point in points:
                at = tuple(float(x) for x in point["point"])
                if len(at) != len(parameters):
                    raise ValueError(f"point {list(at)} of {name!r} has not {len(parameters)} coordinates")
                collected.add(name, metric, at, [float(v) for v in point["values"]])
    return collected.series()


def _read_old(document: Mapping[str, Any]) -> tuple[Series, ...]:
    def names(key: str) -> dict[int, str]:
        return {int(entry["id"]): str(entry["name"]) for entry in document[key]}

    parameters = names("parameters")
    order = sorted(parameters)
    functions, metrics = names("callpaths"), names("metrics")
    points = {}
    for entry in document["coordinates"]:
        pairs = {int(p["parameter_id"]): float(p["parameter_value"]) for p in entry["parameter_value_pairs"]}
        points[int(entry["id"])] = tuple(pairs[number] for number in order)
    collected = Observations(tuple(parameters[number] for number in order))
    for entry in document["measurements"]:
        function, metric = functions[int(entry["callpath_id"])], metrics[int(entry["metric_id"])]
        collected.add(function, metric, points[int(entry["coordinate_id"])], [float(entry["value"])])
    return collected.series()


def read_lines(text: str, file: str, *, talpas: bool = False) -> tuple[Series, ...]:
    """All series of JSON Lines, one observation a line.

    Those of TaLPas are read too, where semicolons stand for commas and ``parameters`` for ``params``.

    Raises
    ------
    UsageError
        A line that is not an observation; the message names it.
    """
    collected: Observations | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{file}, line {number}"
        try:
            entry = parse_json(line.replace(";", ",") if talpas else line, place, hint=_HINT)
            point = entry["parameters" if talpas else "params"]
            collected = collected or Observations(tuple(point))
            at = tuple(float(point[name]) for name in collected.parameters)
            value = entry["value"]
            values = [float(v) for v in value] if isinstance(value, list) else [float(value)]
            collected.add(str(entry.get("callpath", "")), str(entry.get("metric", "")), at, values)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise UsageError(f"{place}: {_describe_missing(error)}", hint=_HINT) from None
    return collected.series() if collected else ()


def write(series: Iterable[Series]) -> str:
    """Return the newer schema; functions may have their own points."""
    every = list(series)
    measurements: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for function in every:
        _check_same(function, every[0])
        points = [{"point": list(point.at), "values": list(point.values)} for point in function.points]
        measurements.setdefault(function.name, {})[function.metric] = points
    parameters = list(every[0].parameters) if every else []
    return json.dumps({"parameters": parameters, "measurements": measurements}, ensure_ascii=False) + "\n"


def _check_same(series: Series, first: Series) -> None:
    if series.parameters != first.parameters:
        raise UsageError(
            f"{series.name}: parameters {', '.join(series.parameters)} beside {', '.join(first.parameters)}",
            hint="write series with different parameters to files of their own",
        )
