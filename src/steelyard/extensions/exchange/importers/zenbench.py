"""zenbench's ``--format=json``: rounds of one process, in each of which every benchmark of a group ran once.

The rounds are trials in their order, each the time of one iteration without the overhead of the loop; those
of a single group pair its benchmarks. A run of several processes has summaries only.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries
from steelyard.extensions.exchange.importers.machines import make_host

TOOL: Final = "zenbench"
KEYS: Final = frozenset({"run_id", "comparisons"})


class _Summary(msgspec.Struct, frozen=True):
    median: float


class _Benchmark(msgspec.Struct, frozen=True):
    name: str
    summary: _Summary
    tags: list[tuple[str, str]] = []


class _Round(msgspec.Struct, frozen=True):
    iterations: int
    compensated_ns: list[float]
    execution_order: list[int] = []


class _Group(msgspec.Struct, frozen=True):
    group_name: str
    benchmarks: list[_Benchmark]
    samples: list[_Round] = []


class _Testbed(msgspec.Struct, frozen=True):
    cpu_model: str | None = None
    arch: str | None = None
    os: str | None = None
    logical_cores: int | None = None


class _File(msgspec.Struct, frozen=True):
    comparisons: list[_Group]
    standalones: list[_Benchmark] = []
    testbed: _Testbed | None = None
    unreliable: bool = False
    incomplete: bool = False


def read(document: object, place: str) -> FileContents:
    """All benchmarks: ``group/name``, tags are levels.

    Raises
    ------
    UsageError
        A round without iterations, or of another number of benchmarks than its group has.
    """
    file = msgspec.convert(document, _File)
    series = []
    for group in file.comparisons:
        for index, entry in enumerate(group.benchmarks):
            name = entry.name if entry.name == group.group_name else f"{group.group_name}/{entry.name}"
            values = _list_times(group, index, f"{place}: {name}") or (entry.summary.median * 1e-9,)
            series.append(_make_series(entry, name, values))
    series += [_make_series(entry, entry.name, (entry.summary.median * 1e-9,)) for entry in file.standalones]
    about = file.testbed or _Testbed()
    host = make_host(cpu=about.cpu_model, cpus_online=about.logical_cores, arch=about.arch, os=about.os)
    notes = [
        sentence
        for is_true, sentence in (
            (file.unreliable, "zenbench calls these results unreliable."),
            (file.incomplete, "zenbench calls this run incomplete."),
        )
        if is_true
    ]
    rounds = _list_rounds(file.comparisons[0]) if len(file.comparisons) == 1 else ()
    return FileContents(
        TOOL, tuple(series), host=host, notes=tuple(notes), rounds=() if file.standalones else rounds
    )


def _list_rounds(group: _Group) -> tuple[tuple[int, ...], ...]:
    """List the order of each round; none where a round does not say it, or there is nothing to pair."""
    places = [*range(len(group.benchmarks))]
    orders = tuple(tuple(entry.execution_order) for entry in group.samples)
    is_known = len(places) > 1 and all(sorted(order) == places for order in orders)
    return orders if is_known else ()


def _list_times(group: _Group, index: int, place: str) -> tuple[float, ...]:
    for number, entry in enumerate(group.samples, start=1):
        if entry.iterations < 1 or len(entry.compensated_ns) != len(group.benchmarks):
            raise UsageError(
                f"{place}: round {number} has {entry.iterations} iterations and"
                f" {len(entry.compensated_ns)} times for {len(group.benchmarks)} benchmarks",
                hint="run zenbench again: nothing was imported",
            )
    return tuple(entry.compensated_ns[index] / entry.iterations * 1e-9 for entry in group.samples)


def _make_series(entry: _Benchmark, name: str, values: tuple[float, ...]) -> ImportedSeries:
    tags: dict[str, Any] = dict(entry.tags)
    levels: dict[str, Scalar] = {"benchmark": name, **tags}
    return ImportedSeries(levels, "time_s", "s", (values,), name=name)
