"""ReFrame's run reports: one value of each performance variable for each run of a test, each a launch."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    any_unit,
    direction_of,
    identifier,
    level,
)

TOOL = "reframe"
KEYS = frozenset({"session_info", "runs"})
_Levels = tuple[tuple[str, Scalar], ...]


class _Variable(msgspec.Struct, frozen=True):
    name: str
    value: float
    unit: str | None = None


class _Case(msgspec.Struct, frozen=True):
    name: str = ""
    display_name: str = ""
    system: str = ""
    partition: str | None = None
    environ: str | None = None
    environment: str | None = None
    result: str = ""
    fail_phase: str | None = None
    fail_reason: str | None = None
    perfvalues: dict[str, list[Any]] | None = None
    perfvars: list[_Variable] | None = None
    check_params: dict[str, Any] = {}


class _Run(msgspec.Struct, frozen=True):
    testcases: list[_Case]


class _Session(msgspec.Struct, frozen=True):
    version: str = ""
    hostname: str = ""
    time_start: str = ""
    time_start_unix: float | None = None


class _File(msgspec.Struct, frozen=True):
    session_info: _Session
    runs: list[_Run]


def read(document: object, _place: str) -> FileContents:
    """All tests that ran: ``test``, and system, partition and environment where they differ."""
    file = msgspec.convert(document, _File)
    cases = [case for run in file.runs for case in run.testcases]
    places = {"system": "system", "partition": "partition", "environment": "environ"}
    varying = {
        name: key
        for name, key in places.items()
        if len({getattr(case, key) or getattr(case, name, None) for case in cases}) > 1
    }
    values_of: dict[tuple[_Levels, _Levels, str, str], list[float]] = {}
    notes: dict[str, list[str]] = {}
    failures = []
    for case in cases:
        variables = list(_list_variables(case))
        has_failed = case.result not in ("", "success", "pass", "skip", "xpass")
        # Parameters stand in the name (``sums_test %n=1000``), in some versions among others of the test too.
        name, *parameters = (case.name.partition("@")[0] or case.display_name).split(" %")
        levels: list[tuple[str, Scalar]] = [("test", name)]
        levels += [
            (identifier(key), level(text))
            for key, sign, text in (p.partition("=") for p in parameters)
            if sign
        ]
        params = {k: v for k, v in case.check_params.items() if isinstance(v, str | int | float | bool)}
        levels += [(identifier(key.rpartition(".")[2]), value) for key, value in params.items()]
        values = {name: str(getattr(case, key) or getattr(case, name, "")) for name, key in places.items()}
        levels += [(name, values[name]) for name in varying]
        levels = list(dict(levels).items())
        qualifiers = tuple(item for item in values.items() if item[1] and item[0] not in varying)
        if not variables:
            if has_failed:
                failures.append(FailedRuns(dict(levels), failed=1, reason=_describe_reason(case)))
                continue
            kind = "Skipped" if case.result == "skip" else "Without a value"
            notes.setdefault(kind, []).append(case.display_name or case.name)
            continue
        if has_failed:
            text = f"{case.display_name or case.name} ({_describe_reason(case)})"
            notes.setdefault("Failed by ReFrame's own judgement, with a value that counts", []).append(text)
        for name, value, unit_text in variables:
            unit = any_unit(unit_text)
            key = (tuple(levels), qualifiers, identifier(name), unit.si)
            values_of.setdefault(key, []).append(value * unit.scale)
    series = tuple(
        ImportedSeries(
            dict(levels), metric, unit, tuple((value,) for value in values),
            direction_of(unit) or ("neither" if unit else "lower"),
            qualifiers=dict(qualifiers),
        )
        for (levels, qualifiers, metric, unit), values in values_of.items()
    )  # fmt: skip
    about = file.session_info
    host: dict[str, Scalar] = {"host": about.hostname} if about.hostname else {}
    return FileContents(
        f"{TOOL} {about.version}".strip(),
        series,
        "launch",
        host,
        tuple(f"{kind}: {', '.join(names)}." for kind, names in notes.items()),
        {},
        tuple(failures),
        time_ns=_get_time(about),
    )


def _describe_reason(case: _Case) -> str:
    """Return why a test failed, by the first line that ReFrame says of it."""
    first = (case.fail_reason or "").strip().partition("\n")[0]
    phase = f" in {case.fail_phase}" if case.fail_phase else ""
    return first or f"ReFrame: {case.result}{phase}"


def _get_time(session: _Session) -> int | None:
    if session.time_start_unix is not None:
        return round(session.time_start_unix * 1e9)
    try:
        return round(dt.datetime.fromisoformat(session.time_start).timestamp() * 1e9)
    except ValueError:
        return None


def _list_variables(case: _Case) -> Iterator[tuple[str, float, str]]:
    """Name, value and unit of each; reports of ReFrame 3 list them as ``perfvars``."""
    for key, row in (case.perfvalues or {}).items():
        if len(row) > 4 and isinstance(row[0], int | float):
            yield key.rpartition(":")[2], float(row[0]), str(row[4] or "")
    for variable in case.perfvars or ():
        yield variable.name, variable.value, variable.unit or ""
