"""pyperf: values of worker processes, of which each is a unit; calibrations and warm-ups are left out."""

from __future__ import annotations

import msgspec

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries, read_unit
from steelyard.extensions.exchange.importers.machines import make_host

TOOL = "pyperf"
KEYS = frozenset({"version", "benchmarks", "metadata"})
VERSION = "1.0"


class _Metadata(msgspec.Struct, frozen=True):
    name: str = ""
    unit: str = "second"
    hostname: str = ""
    cpu_count: int | None = None
    cpu_model_name: str = ""
    platform: str = ""
    python_version: str = ""
    python_compiler: str = ""
    perf_version: str = ""


class _Run(msgspec.Struct, frozen=True):
    values: list[float] = []
    metadata: _Metadata = _Metadata()


class _Benchmark(msgspec.Struct, frozen=True):
    runs: list[_Run]
    metadata: _Metadata = _Metadata()


class _File(msgspec.Struct, frozen=True):
    version: str
    benchmarks: list[_Benchmark]
    metadata: _Metadata = _Metadata()


def read(document: object, place: str) -> FileContents:
    """All benchmarks of the file."""
    file = msgspec.convert(document, _File)
    if file.version != VERSION:
        raise UsageError(
            f"{place}: version {file.version} of pyperf's format, of which {VERSION} is known",
            hint="convert it with the pyperf that wrote it: python -m pyperf convert",
        )
    series = []
    for benchmark in file.benchmarks:
        name = benchmark.metadata.name or file.metadata.name
        text = benchmark.metadata.unit if benchmark.metadata.unit != "second" else file.metadata.unit
        unit = read_unit(text, f"{place}: {name}")
        runs = tuple(
            tuple(value * unit.scale for value in run.values) for run in benchmark.runs if run.values
        )
        metric = {"s": "time_s", "B": "size_bytes"}.get(unit.si, "value")
        series.append(ImportedSeries({"benchmark": name}, metric, unit.si, runs))
    about = file.metadata
    host = make_host(
        host=about.hostname,
        cpu=about.cpu_model_name,
        cpus_online=about.cpu_count,
        os=about.platform,
        runtime=f"Python {about.python_version}" if about.python_version else "",
        compiler=about.python_compiler,
    )
    return FileContents(f"{TOOL} {about.perf_version}".strip(), tuple(series), host=host)
