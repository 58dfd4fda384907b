"""Google Benchmark's ``--benchmark_format=json``: repetitions within one process.

Aggregates are left out where the repetitions are there; alone, a mean is one value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    level,
    read_unit,
    summary_note,
)
from steelyard.extensions.exchange.importers.machines import make_host

TOOL = "google-benchmark"
KEYS = frozenset({"context", "benchmarks"})
SCHEMA: Final = 1

_SETTINGS: Final = re.compile(
    r"(iterations|repeats|min_time|min_warmup_time):.*|real_time|process_time|manual_time"
)
_RATES: Final = {"bytes_per_second": "B/s", "items_per_second": "1/s"}
_NO_COUNTER: Final = {"iterations", "real_time", "cpu_time", "repetitions", "repetition_index", "threads",
    "family_index", "per_family_instance_index", "cpu_coefficient", "real_coefficient", "rms"}  # fmt: skip


REPEATED: Final = "repeated"
"""Key of a benchmark with the names that it has twice; no field of Google Benchmark's is called so."""


def keep_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which a counter that is called as a field, and comes later, changes no field."""
    fields: dict[str, Any] = {}
    repeated = [name for name, value in pairs if fields.setdefault(name, value) is not value]
    return {**fields, REPEATED: repeated} if repeated else fields


class _Context(msgspec.Struct, frozen=True):
    host_name: str = ""
    num_cpus: int | None = None
    mhz_per_cpu: int | None = None
    library_version: str = ""
    json_schema_version: int = SCHEMA


class _Benchmark(msgspec.Struct, frozen=True):
    name: str
    family_index: int | None = None
    per_family_instance_index: int | None = None
    repetition_index: int | None = None
    run_name: str | None = None
    run_type: str = "iteration"
    aggregate_name: str = ""
    real_time: float | None = None
    cpu_time: float | None = None
    time_unit: str = "ns"
    error_occurred: bool = False
    error_message: str = ""
    skipped: bool = False
    skip_message: str = ""


class _Key(NamedTuple):
    """One benchmark: two of one name are of two families, or else repeat each other's repetitions."""

    run: str
    family: int | None
    occurrence: int


_Repetitions = Counter[tuple[str, int | None, int]]
"""How often each repetition of a run and a family was there."""


class _File(msgspec.Struct, frozen=True):
    context: _Context
    benchmarks: list[dict[str, Any]]


def read(document: object, place: str) -> FileContents:
    """All benchmarks: ``BM_sort/1024/threads:2`` is ``benchmark``, ``arg`` and ``threads``."""
    file = msgspec.convert(document, _File)
    if file.context.json_schema_version != SCHEMA:
        raise UsageError(
            f"{place}: JSON schema {file.context.json_schema_version} of Google Benchmark, of which"
            f" {SCHEMA} is known",
            hint="write the file with a version whose context says json_schema_version 1",
        )
    rows = [(msgspec.convert(raw, _Benchmark), raw) for raw in file.benchmarks]
    repeated = {_run(row) for row, _ in rows if row.run_type == "iteration"}
    values: dict[tuple[_Key, str], list[float]] = {}
    repetitions: _Repetitions = Counter()
    units: dict[str, tuple[str, Better]] = {}
    skipped: dict[str, str] = {}
    failures = []
    families = _number_families([row for row, _ in rows])
    for row, raw in rows:
        if row.error_occurred or row.skipped:
            skipped[_run(row)] = row.error_message or row.skip_message
            if row.error_occurred:
                failures.append(FailedRuns(_get_levels(_run(row)), failed=1, reason=row.error_message))
            continue
        if row.run_type != "iteration" and (_run(row) in repeated or row.aggregate_name != "mean"):
            continue
        unit = read_unit(row.time_unit, f"{place}: {row.name}")
        key = _make_key(row, repetitions)
        for metric, value in (("real_time_s", row.real_time), ("cpu_time_s", row.cpu_time)):
            if value is not None:
                units[metric] = (unit.si, "lower")
                values.setdefault((key, metric), []).append(value * unit.scale)
        for name, value in raw.items():
            if name not in _NO_COUNTER and isinstance(value, int | float) and not isinstance(value, bool):
                units[name] = (_RATES.get(name, ""), "higher" if name in _RATES else "neither")
                values.setdefault((key, name), []).append(float(value))
    series = tuple(
        ImportedSeries(
            _get_levels(key.run),
            metric,
            units[metric][0],
            (tuple(numbers),),
            units[metric][1],
            key.run,
            {} if key.family is None else {"family": families[key.run, key.family]},
        )
        for (key, metric), numbers in values.items()
    )
    means = list(
        dict.fromkeys(
            _run(row) for row, _ in rows if _run(row) not in repeated and row.aggregate_name == "mean"
        )
    )
    context = file.context
    host = make_host(host=context.host_name, cpus_online=context.num_cpus)
    tool = f"{TOOL} {context.library_version}".strip()
    counters = dict.fromkeys((_run(row), name) for row, raw in rows for name in _list_repeated(raw))
    notes = [
        f"{run} has a counter that is called {name}, as a field of Google Benchmark is: it is left out."
        for run, name in counters
    ]
    notes += [f"{name} failed or was skipped and has no value: {why}." for name, why in skipped.items()]
    return FileContents(
        tool,
        series,
        host=host,
        notes=(*summary_note(means), *notes),
        skipped=skipped,
        failures=tuple(failures),
    )


def _list_repeated(raw: dict[str, Any]) -> list[str]:
    """List the names that a benchmark has twice; a counter may have the name of that list."""
    names = raw.get(REPEATED)
    return names if isinstance(names, list) else []


def _number_families(rows: Sequence[_Benchmark]) -> dict[tuple[str, int], int]:
    """Return the numbers of families of one name, from 1: a benchmark of another name leaves them."""
    families: dict[str, dict[int, None]] = {}
    for row in rows:
        if row.family_index is not None:
            families.setdefault(_run(row), {})[row.family_index] = None
    return {
        (run, family): number
        for run, members in families.items()
        for number, family in enumerate(members, start=1)
    }


def _make_key(row: _Benchmark, repetitions: _Repetitions) -> _Key:
    """Return the benchmark of a row; a repetition that was there before is of another one."""
    occurrence = 0
    if row.run_type == "iteration" and row.repetition_index is not None:
        repetition = (_run(row), row.family_index, row.repetition_index)
        occurrence = repetitions[repetition]
        repetitions[repetition] += 1
    return _Key(_run(row), row.family_index, occurrence)


def _run(row: _Benchmark) -> str:
    return row.run_name or row.name.removesuffix(f"_{row.aggregate_name}")


def _get_levels(run: str) -> dict[str, Scalar]:
    """Parts of a name: arguments have names, or are counted; settings of the measurement are left out."""
    first, *parts = run.split("/")
    levels: dict[str, Scalar] = {"benchmark": first}
    for part in parts:
        if _SETTINGS.fullmatch(part):
            continue
        name, colon, text = part.partition(":")
        number = sum(key.startswith("arg") for key in levels) + 1
        levels[name if colon else f"arg{number if number > 1 else ''}"] = level(text if colon else part)
    return levels
