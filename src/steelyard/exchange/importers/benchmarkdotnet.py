"""BenchmarkDotNet's ``*-report-full.json``: iterations of one process or more (``LaunchIndex``).

What counts are its results: iterations less the overhead of an empty loop, outliers removed as its job was
set up to.
"""

from __future__ import annotations

import msgspec

from steelyard.exchange.importers.contents import Contents, Series, level, summary_note
from steelyard.units import Scalar

TOOL = "benchmarkdotnet"
KEYS = frozenset({"HostEnvironmentInfo", "Benchmarks"})


class _Measurement(msgspec.Struct, frozen=True, rename="pascal"):
    iteration_mode: str
    iteration_stage: str
    launch_index: int
    operations: int
    nanoseconds: float


class _Statistics(msgspec.Struct, frozen=True, rename="pascal"):
    mean: float
    original_values: list[float] = []


class _Benchmark(msgspec.Struct, frozen=True, rename="pascal"):
    type: str = ""
    method: str = ""
    parameters: str = ""
    full_name: str = ""
    statistics: _Statistics | None = None
    measurements: list[_Measurement] = []


class _Host(msgspec.Struct, frozen=True, rename="pascal"):
    benchmark_dot_net_version: str = ""
    processor_name: str = ""
    os_version: str = ""


class _File(msgspec.Struct, frozen=True, rename="pascal"):
    host_environment_info: _Host
    benchmarks: list[_Benchmark]


def read(document: object, _where: str) -> Contents:
    """All benchmarks: ``benchmark`` and its parameters."""
    file = msgspec.convert(document, _File)
    series, means, notes = [], [], []
    skipped = {}
    for each in file.benchmarks:
        name = f"{each.type}.{each.method}".strip(".") or each.full_name
        if each.statistics is None:
            notes.append(f"{each.full_name or name} failed and has no value.")
            skipped[each.full_name or name] = "BenchmarkDotNet has no result of it"
            continue
        launches: dict[int, list[float]] = {}
        actual = 0
        for one in each.measurements:
            if one.iteration_mode == "Workload":
                actual += one.iteration_stage == "Actual"
                if one.iteration_stage == "Result" and one.operations:
                    launches.setdefault(one.launch_index, []).append(one.nanoseconds / one.operations * 1e-9)
        removed = actual - sum(map(len, launches.values()))
        if launches and removed > 0:
            notes.append(f"{name}: BenchmarkDotNet removed {removed} of {actual} iterations as outliers.")
        plain = [value * 1e-9 for value in each.statistics.original_values]
        if not launches and not plain:
            means.append(name)
            plain = [each.statistics.mean * 1e-9]
        values = tuple(map(tuple, launches.values())) or (tuple(plain),)
        levels = _levels(name, each.parameters)
        series.append(Series(levels, "time_s", "s", values, name=each.full_name))
    about = file.host_environment_info
    host: dict[str, Scalar] = {
        key: text for key, text in (("cpu", about.processor_name), ("os", about.os_version)) if text
    }
    tool = f"{TOOL} {about.benchmark_dot_net_version}".strip()
    return Contents(tool, tuple(series), host=host, notes=(*summary_note(means), *notes), skipped=skipped)


def _levels(name: str, parameters: str) -> dict[str, Scalar]:
    pairs = (pair.partition("=") for pair in parameters.split("&") if pair)
    return {"benchmark": name, **{key: level(text) for key, _, text in pairs}}
