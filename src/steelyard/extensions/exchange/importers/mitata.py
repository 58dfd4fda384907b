"""mitata's ``run({ format: 'json' })``: the median of one process for each benchmark and its arguments.

mitata sorts its samples and cuts off both ends, so that their order is lost: they are no trials. Memory is
the mean of the heap for one call.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import FailedRuns, FileContents, ImportedSeries
from steelyard.extensions.exchange.importers.machines import make_host

TOOL: Final = "mitata"
KEYS: Final = frozenset({"layout", "benchmarks", "context"})


class _Heap(msgspec.Struct, frozen=True):
    avg: float | None = None


class _Stats(msgspec.Struct, frozen=True):
    p50: float | None = None
    heap: _Heap | None = None


class _Run(msgspec.Struct, frozen=True):
    name: str
    args: dict[str, Any] = {}
    stats: _Stats | None = None
    error: Any = None


class _Benchmark(msgspec.Struct, frozen=True):
    alias: str
    runs: list[_Run]
    group: int = 0


class _Group(msgspec.Struct, frozen=True):
    name: str | None = None


class _Cpu(msgspec.Struct, frozen=True):
    name: str | None = None


class _Context(msgspec.Struct, frozen=True):
    arch: str | None = None
    runtime: str | None = None
    version: str | None = None
    cpu: _Cpu = _Cpu()


class _File(msgspec.Struct, frozen=True):
    layout: list[_Group]
    benchmarks: list[_Benchmark]
    context: _Context


def read(document: object, _place: str) -> FileContents:
    """All benchmarks: arguments are levels, objects by their JSON; a group tells equal names apart."""
    file = msgspec.convert(document, _File)
    series: list[ImportedSeries] = []
    skipped = {}
    failures = []
    for benchmark in file.benchmarks:
        group = file.layout[benchmark.group].name if 0 <= benchmark.group < len(file.layout) else None
        for run in benchmark.runs:
            name = f"{group} > {run.name}" if group else run.name
            if run.stats is None or run.stats.p50 is None:
                skipped[name] = _read_message(run.error)
                levels = _get_levels(benchmark.alias, run)
                failures.append(FailedRuns(levels, failed=1, reason=skipped[name], name=name))
                continue
            series += _make_series(benchmark.alias, run, run.stats.p50 * 1e-9, name, group)
    about = file.context
    host = make_host(
        cpu=about.cpu.name, arch=about.arch, runtime=f"{about.runtime or ''} {about.version or ''}".strip()
    )
    return FileContents(TOOL, tuple(series), host=host, skipped=skipped, failures=tuple(failures))


def _get_levels(alias: str, run: _Run) -> dict[str, Scalar]:
    if not run.args:
        return {"benchmark": run.name}
    plain = {
        name: value if isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)
        for name, value in run.args.items()
    }
    return {"benchmark": alias, **plain}


def _make_series(alias: str, run: _Run, time_s: float, name: str, group: str | None) -> list[ImportedSeries]:
    levels = _get_levels(alias, run)
    qualifiers: dict[str, Scalar] = {"group": group} if group else {}
    series = [ImportedSeries(levels, "time_s", "s", ((time_s,),), "lower", name, qualifiers)]
    heap = None if run.stats is None else run.stats.heap
    if heap is not None and heap.avg is not None:
        values = ((heap.avg,),)
        series.append(ImportedSeries(levels, "heap_bytes", "B", values, "lower", name, qualifiers))
    return series


def _read_message(error: Any) -> str:
    message = error.get("message") if isinstance(error, dict) else error
    return str(message).partition("\n")[0] if message else "it failed"
