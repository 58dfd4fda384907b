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
    original_values: list[float] | None = None


class _Memory(msgspec.Struct, frozen=True, rename="pascal"):
    bytes_allocated_per_operation: float | None = None


class _Benchmark(msgspec.Struct, frozen=True, rename="pascal"):
    type: str | None = ""
    method: str | None = ""
    parameters: str | None = ""
    full_name: str | None = ""
    namespace: str | None = ""
    display_info: str | None = ""
    statistics: _Statistics | None = None
    memory: _Memory | None = None
    measurements: list[_Measurement] | None = None

    @property
    def name(self) -> str:
        """Type and method; one without them has its full name."""
        return f"{self.type or ''}.{self.method or ''}".strip(".") or self.full_name or ""


class _Lazy(msgspec.Struct, frozen=True, rename="pascal"):
    """A value as versions before 0.10 write those that are found out late."""

    value: str | None = ""


class _Host(msgspec.Struct, frozen=True, rename="pascal"):
    benchmark_dot_net_version: str | None = ""
    processor_name: str | _Lazy | None = ""
    os_version: str | None = ""
    runtime_version: str | None = ""
    clr_version: str | None = ""
    architecture: str | None = ""
    logical_core_count: int | None = None
    processor_count: int | None = None

    @property
    def facts(self) -> dict[str, Scalar]:
        """Facts of the machine, whatever version wrote them."""
        processor = self.processor_name
        return make_host(
            cpu=processor.value if isinstance(processor, _Lazy) else processor,
            cpus_online=self.logical_core_count or self.processor_count,
            arch=self.architecture,
            os=self.os_version,
            runtime=self.runtime_version or self.clr_version,
        )


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
        name, title = benchmark.name, benchmark.full_name or benchmark.name
        if benchmark.statistics is None:
            notes.append(f"{title} failed and has no value.")
            skipped[title] = "BenchmarkDotNet has no result of it"
            failures.append(
                FailedRuns(
                    _get_levels(name, benchmark.parameters or ""),
                    failed=1,
                    reason="BenchmarkDotNet has no result",
                )
            )
            continue
        launches: dict[int, list[float]] = {}
        actual = 0
        for measurement in benchmark.measurements or ():
            if measurement.iteration_mode == "Workload":
                actual += measurement.iteration_stage == "Actual"
                if measurement.iteration_stage == "Result" and measurement.operations:
                    launches.setdefault(measurement.launch_index, []).append(
                        measurement.nanoseconds / measurement.operations * 1e-9
                    )
        removed = actual - sum(map(len, launches.values()))
        if launches and removed > 0:
            notes.append(f"{name}: BenchmarkDotNet removed {removed} of {actual} iterations as outliers.")
        plain = [value * 1e-9 for value in benchmark.statistics.original_values or ()]
        if not launches and not plain:
            means.append(name)
            plain = [benchmark.statistics.mean * 1e-9]
        values = tuple(map(tuple, launches.values())) or (tuple(plain),)
        levels = _get_levels(name, benchmark.parameters or "")
        qualifiers = _get_qualifiers(benchmark)
        series.append(ImportedSeries(levels, "time_s", "s", values, name=title, qualifiers=qualifiers))
        allocated = benchmark.memory.bytes_allocated_per_operation if benchmark.memory else None
        if allocated is not None:
            series.append(
                ImportedSeries(
                    levels,
                    "bytes_per_op",
                    "B",
                    ((allocated,),),
                    name=title,
                    qualifiers=qualifiers,
                )
            )
    about = file.host_environment_info
    tool = f"{TOOL} {about.benchmark_dot_net_version or ''}".strip()
    return FileContents(
        tool,
        tuple(series),
        host=about.facts,
        notes=(*summary_note(means), *notes),
        skipped=skipped,
        failures=tuple(failures),
    )


def _get_levels(name: str, parameters: str) -> dict[str, Scalar]:
    pairs = (pair.partition("=") for pair in parameters.split("&") if pair)
    return {"benchmark": name, **{key: level(text) for key, _, text in pairs}}


def _get_qualifiers(benchmark: _Benchmark) -> dict[str, Scalar]:
    """Namespace and job, which has the runtime: ``Sort.Fast: Job-ABC(Runtime=.NET 8.0) [n=1]``."""
    job = (benchmark.display_info or "").partition(": ")[2].partition(" [")[0].strip()
    named = {"namespace": benchmark.namespace, "job": job}
    return {name: text for name, text in named.items() if text}
