"""Vitest's ``bench --outputJson``, which times by tinybench.

It is of one process, with a mean and percentiles in milliseconds for each benchmark.
"""

from __future__ import annotations

import msgspec

from steelyard.exchange.importers.contents import FileContents, ImportedSeries

TOOL = "vitest"
KEYS = frozenset({"files"})


class _Benchmark(msgspec.Struct, frozen=True):
    name: str
    median: float | None = None
    samples: list[float] = []


class _Group(msgspec.Struct, frozen=True, rename="camel"):
    full_name: str
    benchmarks: list[_Benchmark]


class _Of(msgspec.Struct, frozen=True):
    groups: list[_Group]


class _File(msgspec.Struct, frozen=True):
    files: list[_Of]


def read(document: object, _origin: str) -> FileContents:
    """All benchmarks, behind the names of their file and groups; without samples, their medians.

    One that threw has neither, and nothing of what it threw.
    """
    series = []
    skipped = {}
    for file in msgspec.convert(document, _File).files:
        for group in file.groups:
            for entry in group.benchmarks:
                name = f"{group.full_name} > {entry.name}"
                times = entry.samples or ([] if entry.median is None else [entry.median])
                if not times:
                    skipped[name] = "it failed"
                    continue
                values = tuple(value * 1e-3 for value in times)
                series.append(ImportedSeries({"benchmark": name}, "time_s", "s", (values,), name=name))
    return FileContents(TOOL, tuple(series), skipped=skipped)
