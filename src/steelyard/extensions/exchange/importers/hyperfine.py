"""``hyperfine --export-json``, in both of its schemas: launches, one command after the other.

Version 1 (hyperfine 1.x) has elapsed times and memory of each launch; user and system time are means over the
launches there, and stay out: one value a launch is what a record holds. Version 2 (hyperfine 2.0) has every
metric of each launch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    level,
    summary_note,
)
from steelyard.lab.compare.hyperfine import METRICS

TOOL = "hyperfine"
KEYS = frozenset({"results"})
NEWEST: Final = 2
"""Version of the schema."""
UNITS: Final = {"second": "s", "byte": "B", "": ""}


class _Result1(msgspec.Struct, frozen=True):
    command: str
    mean: float | None = None
    times: list[float] | None = None
    memory_usage_byte: list[int] | None = None
    exit_codes: list[int | None] | None = None
    parameters: dict[str, str] = {}


class _File1(msgspec.Struct, frozen=True):
    results: list[_Result1]


class _Value(msgspec.Struct, frozen=True):
    value: float
    unit: str = ""


class _Parameter(msgspec.Struct, frozen=True):
    value: str


class _Result2(msgspec.Struct, frozen=True):
    command: str
    measurements: list[dict[str, _Value | int | None]]
    name: str | None = None
    parameters: dict[str, _Parameter] = {}
    environment: dict[str, str] = {}


class _File2(msgspec.Struct, frozen=True):
    results: list[_Result2]


class _Version(msgspec.Struct, frozen=True):
    schema_version: int = 1


class _Command(NamedTuple):
    """One command: what it is called, its parameters, values of its metrics, and which runs failed."""

    name: str
    parameters: Mapping[str, str]
    columns: Sequence[tuple[str, str, Sequence[float]]]
    failures: Sequence[bool] = ()
    has_repetitions: bool = True


def read(document: object, place: str) -> FileContents:
    """Read all commands.

    Parameters are the factors where they alone tell the commands apart, and commands of one name are
    numbered.
    """
    version = msgspec.convert(document, _Version).schema_version
    if version > NEWEST:
        raise UsageError(
            f"{place}: schema version {version} of hyperfine, and {NEWEST} is the newest that is known",
            hint="a newer Steelyard may read it; hyperfine --export-csv has the summaries",
        )
    commands = list(_read_version_1(document) if version == 1 else _read_version_2(document))
    levels_of = list(zip(_distinguish(commands), commands, strict=True))
    series = tuple(
        ImportedSeries(
            levels,
            metric,
            unit,
            tuple((value,) for value, failed in _pair(column, command) if not failed),
        )
        for levels, command in levels_of
        for metric, unit, column in command.columns
    )
    failures = tuple(
        FailedRuns(
            levels,
            failed=sum(command.failures),
            reason="another exit code than 0",
            values=tuple(
                {metric: column[place] for metric, _, column in command.columns}
                for place, failed in enumerate(command.failures)
                if failed
            ),
        )
        for levels, command in levels_of
        if any(command.failures)
    )
    notes = summary_note([command.name for command in commands if not command.has_repetitions])
    return FileContents(TOOL, series, "launch", notes=notes, failures=failures)


def _pair(column: Sequence[float], command: _Command) -> Iterator[tuple[float, bool]]:
    """Each value of a column, with whether its run failed."""
    return zip(column, command.failures or [False] * len(column), strict=True)


def _read_version_1(document: object) -> Iterator[_Command]:
    for result in msgspec.convert(document, _File1).results:
        times = result.times or ([] if result.mean is None else [result.mean])
        columns: list[tuple[str, str, Sequence[float]]] = [("wall_s", "s", times)]
        sizes = result.memory_usage_byte or []
        if result.times and len(sizes) == len(result.times):
            columns.append(("rss_bytes", "B", [float(size) for size in sizes]))
        codes = result.exit_codes or []
        # Without the times of runs, their mean is of all of them.
        failures = [code != 0 for code in codes] if len(codes) == len(times) else []
        yield _Command(result.command, result.parameters, columns, failures, bool(result.times))


def _read_version_2(document: object) -> Iterator[_Command]:
    for result in msgspec.convert(document, _File2).results:
        runs = result.measurements
        columns = []
        # A metric that only some of the runs have is none of the command.
        for name in dict.fromkeys(name for run in runs for name in run if name != "exit_code"):
            values = [value for run in runs if isinstance(value := run.get(name), _Value)]
            if len(values) == len(runs) and len({value.unit for value in values}) == 1:
                unit = values[0].unit
                column = [value.value for value in values]
                columns.append((METRICS.get(name, name), UNITS.get(unit, unit), column))
        parameters = {name: parameter.value for name, parameter in result.parameters.items()}
        failures = [run.get("exit_code", 0) != 0 for run in runs]
        yield _Command(result.name or result.command, parameters | result.environment, columns, failures)


def _distinguish(commands: Sequence[_Command]) -> list[Mapping[str, Scalar]]:
    """Return what tells the commands apart."""
    names = {frozenset(command.parameters) for command in commands}
    distinct = {tuple(sorted(command.parameters.items())) for command in commands}
    if len(names) == 1 and all(names) and len(distinct) == len(commands):
        return [{name: level(text) for name, text in command.parameters.items()} for command in commands]
    counts = Counter(command.name for command in commands)
    occurrences: Counter[str] = Counter()
    levels: list[Mapping[str, Scalar]] = []
    for command in commands:
        occurrences[command.name] += 1
        number = f" ({occurrences[command.name]})" if counts[command.name] > 1 else ""
        levels.append({"benchmark": f"{command.name}{number}"})
    return levels
