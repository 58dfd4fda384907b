"""BenchmarkDotNet's ``*-report-full.json``: iterations of one process or more (``LaunchIndex``).

What counts are its results: iterations less the overhead of an empty loop, outliers removed as its job was
set up to.
"""

from __future__ import annotations

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    level,
    summary_note,
)
from steelyard.extensions.exchange.importers.machines import make_host

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


class _Memory(msgspec.Struct, frozen=True, rename="pascal"):
    bytes_allocated_per_operation: float | None = None


class _Benchmark(msgspec.Struct, frozen=True, rename="pascal"):
    type: str = ""
    method: str = ""
    parameters: str = ""
    full_name: str = ""
    namespace: str = ""
    display_info: str = ""
    statistics: _Statistics | None = None
    memory: _Memory | None = None
    measurements: list[_Measurement] = []


class _Host(msgspec.Struct, frozen=True, rename="pascal"):
    benchmark_dot_net_version: str = ""
    processor_name: str = ""
    os_version: str = ""
    runtime_version: str = ""


class _File(msgspec.Struct, frozen=True, rename="pascal"):
    host_environment_info: _Host
    benchmarks: list[_Benchmark]


def read(document: object, _place: str) -> FileContents:
    """All benchmarks: ``benchmark`` and its parameters; allocated bytes of ``[MemoryDiagnoser]``."""
    file = msgspec.convert(document, _File)
    series, means, notes = [], [], []
    skipped = {}
    failures: list[FailedRuns] = []
    for benchmark in file.benchmarks:
        name = f"{benchmark.type}.{benchmark.method}".strip(".") or benchmark.full_name
        if benchmark.statistics is None:
            notes.append(f"{benchmark.full_name or name} failed and has no value.")
            skipped[benchmark.full_name or name] = "BenchmarkDotNet has no result of it"
            failures.append(
                FailedRuns(
                    _get_levels(name, benchmark.parameters), failed=1, reason="BenchmarkDotNet has no result"
                )
            )
            continue
        launches: dict[int, list[float]] = {}
        actual = 0
        for measurement in benchmark.measurements:
            if measurement.iteration_mode == "Workload":
                actual += measurement.iteration_stage == "Actual"
                if measurement.iteration_stage == "Result" and measurement.operations:
                    launches.setdefault(measurement.launch_index, []).append(
                        measurement.nanoseconds / measurement.operations * 1e-9
                    )
        removed = actual - sum(map(len, launches.values()))
        if launches and removed > 0:
            notes.append(f"{name}: BenchmarkDotNet removed {removed} of {actual} iterations as outliers.")
        plain = [value * 1e-9 for value in benchmark.statistics.original_values]
        if not launches and not plain:
            means.append(name)
            plain = [benchmark.statistics.mean * 1e-9]
        values = tuple(map(tuple, launches.values())) or (tuple(plain),)
        levels = _get_levels(name, benchmark.parameters)
        qualifiers = _get_qualifiers(benchmark)
        series.append(
            ImportedSeries(levels, "time_s", "s", values, name=benchmark.full_name, qualifiers=qualifiers)
        )
        allocated = benchmark.memory.bytes_allocated_per_operation if benchmark.memory else None
        if allocated is not None:
            series.append(
                ImportedSeries(
                    levels,
                    "bytes_per_op",
                    "B",
                    ((allocated,),),
                    name=benchmark.full_name,
                    qualifiers=qualifiers,
                )
            )
    about = file.host_environment_info
    host = make_host(cpu=about.processor_name, os=about.os_version, runtime=about.runtime_version)
    tool = f"{TOOL} {about.benchmark_dot_net_version}".strip()
    return FileContents(
        tool,
        tuple(series),
        host=host,
        notes=(*summary_note(means), *notes),
        skipped=skipped,
        failures=tuple(failures),
    )


def _get_levels(name: str, parameters: str) -> dict[str, Scalar]:
    pairs = (pair.partition("=") for pair in parameters.split("&") if pair)
    return {"benchmark": name, **{key: level(text) for key, _, text in pairs}}


def _get_qualifiers(benchmark: _Benchmark) -> dict[str, Scalar]:
    """Namespace and job, which has the runtime: ``Sort.Fast: Job-ABC(Runtime=.NET 8.0) [n=1]``."""
    job = benchmark.display_info.partition(": ")[2].partition(" [")[0].strip()
    named = {"namespace": benchmark.namespace, "job": job}
    return {name: text for name, text in named.items() if text}
