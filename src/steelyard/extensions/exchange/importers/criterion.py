"""Criterion.rs: its directory ``target/criterion``, or what it prints.

The directory has samples of one process, each the mean time of so many iterations. The output has one
estimate a benchmark, with five digits.

Every saved run is a level of the factor ``saved``: ``base``, ``new``, and whatever ``--save-baseline`` named.
Criterion keeps the newest run under two names: ``new``, and ``base`` or the one that was given; of runs that
are equal one is kept, under the name that was given or else as ``new``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FileContents,
    ImportedSeries,
    Unit,
    any_unit,
    level,
    name_metric,
    side_of,
)
from steelyard.files.reading import decode_json, read_bytes

TOOL = "criterion"
_HINT = "cargo bench writes it again"
COPIES = frozenset({"new", "base"})
_PRINTED: Final = re.compile(
    r"^(?P<name>\S.*?)?\s+time:\s+\[\S+ \S+ (?P<value>[0-9.]+) (?P<unit>\S+) \S+ \S+\]$"
    r"(?:\n\s+thrpt:\s+\[\S+ \S+ (?P<rate>[0-9.]+) (?P<rate_unit>\S+) \S+ \S+\]$)?",
    re.MULTILINE,
)
_ELEMENTS: Final = re.compile(r"(?P<prefix>[KMG]?)elem/s")
_PREFIXES: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
T = TypeVar("T")


class _Benchmark(msgspec.Struct, frozen=True):
    group_id: str
    function_id: str | None = None
    value_str: str | None = None


class _Sample(msgspec.Struct, frozen=True):
    iters: list[float]
    times: list[float]


def holds(directory: Path) -> bool:
    """Whether this is a directory of Criterion."""
    return next(directory.glob("**/sample.json"), None) is not None


def is_output(text: str) -> bool:
    """Whether a line of the text is an estimate."""
    return _PRINTED.search(text) is not None


def read_printed(text: str, origin: str) -> FileContents:
    """All benchmarks of what ``cargo bench`` prints; a name that is too long has a line of its own.

    A measurement of the program's own, as of cycles, has a metric that is called as its unit.

    Raises
    ------
    UsageError
        An estimate without a name.
    """
    series = []
    for match in _PRINTED.finditer(text):
        name = match["name"] or text[: match.start()].rstrip("\n").rpartition("\n")[2].strip()
        if not name:
            raise UsageError(f"{origin}: {match[0].strip()!r} has no name before it", hint=_HINT)
        unit = any_unit(match["unit"])
        values = ((float(match["value"]) * unit.scale,),)
        levels: dict[str, Scalar] = {"benchmark": name}
        series.append(ImportedSeries(levels, name_metric(unit.si), unit.si, values, side_of(unit.si), name))
        if match["rate"]:
            rate = _read_rate(match["rate_unit"])
            rates = ((float(match["rate"]) * rate.scale,),)
            series.append(ImportedSeries(levels, "throughput", rate.si, rates, "higher", name))
    return FileContents(TOOL, tuple(series))


def _read_rate(text: str) -> Unit:
    """Return the unit of a throughput: Criterion chooses the prefix by the value."""
    elements = _ELEMENTS.fullmatch(text)
    return Unit("elem/s", _PREFIXES[elements["prefix"]]) if elements else any_unit(text)


def read(directory: Path) -> FileContents:
    """All benchmarks below the directory.

    Raises
    ------
    UsageError
        A file is incomplete or not Criterion's.
    """
    series: list[ImportedSeries] = []
    runs_of: dict[tuple[tuple[str, Scalar], ...], list[tuple[str, tuple[float, ...]]]] = {}
    for file in sorted(directory.glob("**/sample.json")):
        sample = _decode(file, _Sample)
        about = _decode(file.with_name("benchmark.json"), _Benchmark)
        if len(sample.iters) != len(sample.times) or not all(sample.iters):
            raise UsageError(
                f"{file}: {len(sample.iters)} counts of iterations for {len(sample.times)} times",
                hint=f"the file is incomplete: {_HINT}",
            )
        values = tuple(time / n * 1e-9 for time, n in zip(sample.times, sample.iters, strict=True))
        runs_of.setdefault(tuple(_list_levels(about)), []).append((file.parent.name, values))
    for levels, runs in runs_of.items():
        for saved, values in _list_distinct(runs):
            series.append(ImportedSeries({**dict(levels), "saved": saved}, "time_s", "s", (values,)))
    return FileContents(TOOL, tuple(series))


def _list_levels(about: _Benchmark) -> Iterator[tuple[str, Scalar]]:
    function = f"{about.group_id}/{about.function_id}" if about.function_id else about.group_id
    yield "benchmark", function
    if about.value_str is not None:
        yield "value", level(about.value_str)


def _list_distinct(runs: list[tuple[str, tuple[float, ...]]]) -> Iterator[tuple[str, tuple[float, ...]]]:
    values_of = {values for saved, values in runs if saved not in COPIES}
    newest = {values for saved, values in runs if saved == "new"}
    for saved, values in runs:
        copied = {"new": values_of, "base": values_of | newest}.get(saved, set())
        if values not in copied:
            yield saved, values


def _decode(file: Path, type_: type[T]) -> T:
    try:
        json: T = decode_json(read_bytes(file, hint=_HINT), str(file), hint=_HINT, type=type_)
    except msgspec.ValidationError as error:
        raise UsageError(f"{file}: {error}", hint=_HINT) from None
    return json
