"""JSON lines: ``go test -json``, ``cargo criterion --message-format json`` and ``perf stat -j``."""

from __future__ import annotations

import math
from typing import Any, Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers import go_bench, gungraun, libtest
from steelyard.extensions.exchange.importers.contents import (
    FileContents,
    ImportedSeries,
    any_unit,
    direction_of,
    identifier,
    read_unit,
)
from steelyard.files.reading import json_lines

CARGO_CRITERION: Final = "cargo-criterion"
PERF_STAT: Final = "perf-stat"
_AGAIN: Final = "write the file again; nothing was imported"


def holds(text: str) -> bool:
    """Whether the first line of a text is a document, and there are further ones or it is of a known kind."""
    first, _, rest = text.lstrip().partition("\n")
    is_whole = first.lstrip().startswith("{") and first.rstrip().endswith("}")
    return is_whole and (rest.lstrip().startswith("{") or _find_kind(first) is not None)


def find_tool(text: str) -> str | None:
    """Return the format of JSON lines; ``None`` of those that are not known."""
    return _find_kind(text.lstrip().partition("\n")[0])


def _find_kind(line: str) -> str | None:
    for key, kind in (
        ('"Action"', go_bench.TOOL),
        ('"counter-value"', PERF_STAT),
        ('"reason"', CARGO_CRITERION),
        (libtest.MARK, libtest.TOOL),
        (gungraun.MARK, gungraun.TOOL),
    ):
        if key in line:
            return kind
    return None


def is_cargo_criterion(text: str) -> bool:
    """Whether the text is what ``cargo criterion --message-format json`` prints."""
    return holds(text) and find_tool(text) == CARGO_CRITERION


def is_perf_stat(text: str) -> bool:
    """Whether the text is what ``perf stat -j`` writes."""
    return holds(text) and find_tool(text) == PERF_STAT


def join_go_output(text: str, place: str) -> str:
    """Put together what ``go test -json`` cut: the output of each package, as the package printed it."""
    outputs: dict[str, list[str]] = {}
    for event in json_lines(text, place, hint=_AGAIN):
        if isinstance(event, dict) and event.get("Action") == "output":
            outputs.setdefault(str(event.get("Package", "")), []).append(str(event.get("Output", "")))
    return "".join(
        ("" if any(part.startswith("pkg: ") for part in parts) else f"pkg: {package}\n")
        + "".join(parts)
        + "\n"
        for package, parts in outputs.items()
    )


def read_cargo_criterion(text: str, place: str) -> FileContents:
    """All benchmarks: the samples of each, over their iterations."""
    series = []
    for number, message in enumerate(json_lines(text, place, hint=_AGAIN), start=1):
        if not isinstance(message, dict) or message.get("reason") != "benchmark-complete":
            continue
        name = str(message.get("id", ""))
        unit = read_unit(str(message.get("unit", "")), f"{place}: {name}")
        values, counts = (_read_numbers(message.get(key)) for key in ("measured_values", "iteration_count"))
        if not values or len(values) != len(counts) or not all(counts):
            raise UsageError(
                f"{place}, line {number}: {name} has no samples with their iterations", hint=_AGAIN
            )
        samples = tuple(value / count * unit.scale for value, count in zip(values, counts, strict=True))
        series.append(ImportedSeries({"benchmark": name}, "time_s", unit.si, (samples,), name=name))
    return FileContents(CARGO_CRITERION, tuple(series))


def read_perf_stat(text: str, place: str) -> FileContents:
    """All events that were counted, one value each; the file is one launch, or the mean of several."""
    series, notes = [], []
    for event in json_lines(text, place, hint=_AGAIN):
        name = str(event.get("event", "")) if isinstance(event, dict) else ""
        if not name:
            continue
        try:
            value = float(event["counter-value"])
        except (KeyError, TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            notes.append(f"{name}: {event.get('counter-value', 'no value')}.")
            continue
        unit = any_unit(str(event.get("unit") or ""))
        levels: dict[str, Scalar] = {"cpu": str(event["cpu"])} if "cpu" in event else {}
        metric = identifier(name.partition(":")[0])
        better = direction_of(unit.si) or "lower"
        series.append(ImportedSeries(levels, metric, unit.si, ((value * unit.scale,),), better))
    return FileContents(PERF_STAT, tuple(series), "launch", notes=tuple(notes))


def _read_numbers(values: Any) -> list[float]:
    """Return a list of finite numbers; empty where it is anything else."""
    if not isinstance(values, list):
        return []
    numbers = [float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)]
    return numbers if len(numbers) == len(values) else []
