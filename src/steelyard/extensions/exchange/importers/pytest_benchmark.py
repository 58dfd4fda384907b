"""pytest-benchmark's ``--benchmark-json`` and saved runs: rounds within one process.

Without ``--benchmark-save-data`` a saved run has summaries only. Numbers of ``benchmark.extra_info`` are
metrics of a test, by their names.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FileContents,
    ImportedSeries,
    identifier,
    summary_note,
)
from steelyard.extensions.exchange.importers.machines import make_host

TOOL = "pytest-benchmark"
KEYS = frozenset({"machine_info", "benchmarks"})


class _Stats(msgspec.Struct, frozen=True):
    mean: float
    data: list[float] = []


class _Benchmark(msgspec.Struct, frozen=True):
    name: str
    stats: _Stats
    fullname: str = ""
    params: dict[str, Any] | None = None
    extra_info: dict[str, Any] = {}


class _Cpu(msgspec.Struct, frozen=True):
    brand_raw: str | None = None
    count: int | None = None


class _Machine(msgspec.Struct, frozen=True):
    node: str = ""
    machine: str = ""
    system: str = ""
    release: str = ""
    python_version: str = ""
    cpu: _Cpu | None = None


class _File(msgspec.Struct, frozen=True):
    benchmarks: list[_Benchmark]
    machine_info: _Machine = _Machine()
    version: str = ""


def read(document: object, _place: str) -> FileContents:
    """All tests: ``benchmark`` is the function, parameters that are numbers or text are levels."""
    file = msgspec.convert(document, _File)
    series, means = [], []
    for benchmark in file.benchmarks:
        plain = {
            # A level is finite.
            name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in (benchmark.params or {}).items()
            if isinstance(value, str | int | float | bool)
        }
        name = (
            benchmark.name.partition("[")[0]
            if plain and len(plain) == len(benchmark.params or {})
            else benchmark.name
        )
        levels: dict[str, Scalar] = (
            {"benchmark": name, **plain} if name != benchmark.name else {"benchmark": name}
        )
        if not benchmark.stats.data:
            means.append(benchmark.name)
        values = tuple(benchmark.stats.data or [benchmark.stats.mean])
        qualifiers = _get_qualifiers(benchmark.fullname)
        series.append(
            ImportedSeries(levels, "time_s", "s", (values,), name=benchmark.fullname, qualifiers=qualifiers)
        )
        series += [
            ImportedSeries(levels, metric, "", ((number,),), "neither", benchmark.fullname, qualifiers)
            for metric, number in _get_numbers(benchmark.extra_info).items()
        ]
    about = file.machine_info
    cpu = about.cpu or _Cpu()
    host = make_host(
        host=about.node,
        cpu=cpu.brand_raw,
        cpus_online=cpu.count,
        arch=about.machine,
        os=f"{about.system} {about.release}".strip(),
        runtime=f"Python {about.python_version}" if about.python_version else "",
    )
    return FileContents(f"{TOOL} {file.version}".strip(), tuple(series), host=host, notes=summary_note(means))


def _get_numbers(info: dict[str, Any]) -> dict[str, float]:
    """Return what a test wrote into ``benchmark.extra_info``, as far as it is a number; never as a time."""
    numbers = {
        identifier(key): float(value)
        for key, value in info.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }
    numbers.pop("time_s", None)
    return numbers


def _get_qualifiers(fullname: str) -> dict[str, Scalar]:
    """``file`` and ``class`` of ``tests/test_a.py::TestSort::test_b[1]``."""
    file, *classes = fullname.partition("[")[0].split("::")[:-1] or [""]
    qualifiers: dict[str, Scalar] = {"file": file} if file else {}
    return qualifiers | ({"class": ".".join(classes)} if classes else {})
