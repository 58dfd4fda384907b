"""Vitest's benchmarks, which tinybench times: ``bench --outputJson``, and of Vitest 5 its JSON reporter.

They are of one process, with a mean and percentiles in milliseconds for each benchmark.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

import msgspec

from steelyard.extensions.exchange.importers.contents import FailedRuns, FileContents, ImportedSeries

TOOL = "vitest"
KEYS = frozenset({"files"})
REPORTER: Final = frozenset({"numTotalTests", "testResults"})
"""Keys of what ``--reporter=json`` of Vitest 5 writes."""


class _Benchmark(msgspec.Struct, frozen=True):
    name: str
    median: float | None = None
    samples: list[float] = []


class _Group(msgspec.Struct, frozen=True, rename="camel"):
    full_name: str
    benchmarks: list[_Benchmark]


class _Of(msgspec.Struct, frozen=True):
    groups: list[_Group]


class _Latency(msgspec.Struct, frozen=True):
    p50: float | None = None
    mean: float | None = None


class _Task(msgspec.Struct, frozen=True):
    name: str
    latency: _Latency = _Latency()


class _Compared(msgspec.Struct, frozen=True):
    tasks: list[_Task] = []


class _Test(msgspec.Struct, frozen=True, rename="camel"):
    full_name: str
    ancestor_titles: list[str] = []
    title: str = ""
    status: str = ""
    failure_messages: list[str] = []
    benchmarks: list[_Compared] = []


class _TestFile(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    assertion_results: list[_Test] = []


class _Report(msgspec.Struct, frozen=True, rename="camel"):
    test_results: list[_TestFile]


class _File(msgspec.Struct, frozen=True):
    files: list[_Of]


def read(document: object, _origin: str) -> FileContents:
    """All benchmarks, behind the names of their file and groups; without samples, their medians.

    One that threw has neither; only Vitest 5 says what it threw.
    """
    if isinstance(document, dict) and document.keys() >= REPORTER:
        return _read_report(msgspec.convert(document, _Report))
    series = []
    skipped = {}
    failures: list[FailedRuns] = []
    for file in msgspec.convert(document, _File).files:
        for group in file.groups:
            for entry in group.benchmarks:
                name = f"{group.full_name} > {entry.name}"
                times = entry.samples or ([] if entry.median is None else [entry.median])
                if not times:
                    skipped[name] = "it failed"
                    failures.append(FailedRuns({"benchmark": name}, failed=1, reason="Vitest: failed"))
                    continue
                values = tuple(value * 1e-3 for value in times)
                series.append(ImportedSeries({"benchmark": name}, "time_s", "s", (values,), name=name))
    return FileContents(TOOL, tuple(series), skipped=skipped, failures=tuple(failures))


def _read_report(report: _Report) -> FileContents:
    """Benchmarks of Vitest 5: tests, each with the tasks that it compares."""
    series = []
    skipped = {}
    failures: list[FailedRuns] = []
    for file in report.test_results:
        for test in file.assertion_results:
            # As --testNamePattern takes it.
            path = " > ".join([*test.ancestor_titles, test.title or test.full_name])
            if test.status == "failed":
                skipped[path] = test.failure_messages[0].partition("\n")[0] if test.failure_messages else ""
                tasks = [task.name for compared in test.benchmarks for task in compared.tasks]
                # What ran before the test failed has a time that does not count.
                for name in [f"{path} > {task}" for task in tasks] or [path]:
                    skipped[name] = skipped[path]
                    failures.append(FailedRuns({"benchmark": name}, failed=1, reason=skipped[path]))
                continue
            for task in (task for compared in test.benchmarks for task in compared.tasks):
                name = f"{path} > {task.name}"
                time_ms = task.latency.mean if task.latency.p50 is None else task.latency.p50
                if time_ms is None:
                    skipped[name] = "it failed"
                    failures.append(FailedRuns({"benchmark": name}, failed=1, reason="Vitest: failed"))
                    continue
                series.append(
                    ImportedSeries(
                        {"benchmark": name},
                        "time_s",
                        "s",
                        ((time_ms * 1e-3,),),
                        name=name,
                        qualifiers={"file": PurePosixPath(file.name).name} if file.name else {},
                    )
                )
    return FileContents(TOOL, tuple(series), skipped=skipped, failures=tuple(failures))
