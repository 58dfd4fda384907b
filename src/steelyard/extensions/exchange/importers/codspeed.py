"""pytest-codspeed's ``.codspeed/results_*.json`` of wall time: the median of one process for each test."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries
from steelyard.extensions.exchange.importers.machines import make_host

TOOL: Final = "pytest-codspeed"
KEYS: Final = frozenset({"instrument", "benchmarks"})


class _Stats(msgspec.Struct, frozen=True):
    median_ns: float


class _Benchmark(msgspec.Struct, frozen=True):
    name: str
    uri: str = ""
    stats: _Stats | None = None


class _Instrument(msgspec.Struct, frozen=True):
    type: str = ""


class _Creator(msgspec.Struct, frozen=True):
    version: str = ""


class _File(msgspec.Struct, frozen=True):
    instrument: _Instrument
    benchmarks: list[_Benchmark]
    creator: _Creator = _Creator()
    python: dict[str, Any] = {}


def read(document: object, _place: str) -> FileContents:
    """All tests; a file and a class tell those of one name apart.

    Other instruments than wall time count outside of the process, and their files have no values.
    """
    file = msgspec.convert(document, _File)
    series, skipped = [], {}
    for entry in file.benchmarks:
        if entry.stats is None:
            skipped[entry.name] = f"no time: measured by {file.instrument.type or 'another instrument'}"
            continue
        path = entry.uri.partition("[")[0].partition("::")[0]
        qualifiers: dict[str, Scalar] = {"file": path} if path else {}
        value = entry.stats.median_ns * 1e-9
        series.append(
            ImportedSeries(
                {"benchmark": entry.name},
                "time_s",
                "s",
                ((value,),),
                name=f"{path}::{entry.name}" if path else entry.name,
                qualifiers=qualifiers,
            )
        )
    settings = file.python.get("sysconfig")
    version = settings.get("py_version") if isinstance(settings, dict) else None
    host = make_host(runtime=f"Python {version}" if isinstance(version, str) else None)
    tool = f"{TOOL} {file.creator.version}".strip()
    return FileContents(tool, tuple(series), host=host, skipped=skipped)
