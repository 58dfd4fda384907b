"""Runs of solvers from files: tables with a row a run, and what other tools wrote, such as BenchExec."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.imported import ImportSource
from steelyard.extensions.exchange.importers import FileContents, find_tool, read
from steelyard.extensions.exchange.importers.columns import CSV, TSV
from steelyard.extensions.exchange.importers.contents import FailedRuns, ImportedSeries
from steelyard.extensions.solvers.runs import Campaign, Outcome, SolverRun, make_campaign
from steelyard.extensions.solvers.table import Roles, read_table

_OF_SOLVERS: Final = ("tool", "run_set")
"""Labels of other tools' files that tell solvers apart, where they differ within a file."""


def read_files(sources: Sequence[ImportSource], roles: Roles, limit_s: float | None) -> Campaign:
    """Read the runs of all files under one limit.

    Files of one name are further runs of the same solvers. A file of another tool, or a table without a
    column of the solver beside further files, is that of the solver after which it is called.

    Parameters
    ----------
    limit_s : float, optional
        By default the limit that the files say, else that at which runs timed out.

    Raises
    ------
    UsageError
        A file cannot be read, or says no time; limits differ; or as ``make_campaign``.
    """
    runs: list[SolverRun] = []
    limits: dict[float, Path] = {}
    numbers = Counter(source.name for source in sources)
    for number, source in enumerate(sources, 1):
        tool = find_tool(source.path)
        if tool in (None, CSV, TSV):
            name = source.name if len(sources) > 1 else None
            of_file = read_table(source.path, roles, name)
        else:
            _refuse_roles(roles, source.path, tool)
            contents = read(source.path)
            of_file, limit = _read_contents(contents, source, roles.time)
            if limit is not None:
                limits.setdefault(limit, source.path)
        several = numbers[source.name] > 1
        runs += [replace(run, seed=f"{number}:{run.seed}") if several else run for run in of_file]
    place = ", ".join(str(source.path) for source in sources)
    if limit_s is not None or not limits:
        return make_campaign(runs, limit_s, place)
    if len(limits) > 1:
        (first, path), (second, further), *_ = limits.items()
        raise UsageError(
            f"{path} has a limit of {first:g} s, and {further} of {second:g} s",
            hint=f"--limit {min(limits):g}: runs that took longer count as timed out",
        )
    return replace(make_campaign(runs, next(iter(limits)), place), origin="that of the files")


def _refuse_roles(roles: Roles, path: Path, tool: str | None) -> None:
    """Refuse columns of tables for a file that has none."""
    if replace(roles, time=None) != Roles():
        raise UsageError(
            f"{path}: {tool} names its runs itself", hint="leave out all options of columns but --time METRIC"
        )


def _read_contents(
    contents: FileContents, source: ImportSource, metric: str | None
) -> tuple[tuple[SolverRun, ...], float | None]:
    """Return the runs of a file of another tool, and its limit."""
    times = list(dict.fromkeys(entry.metric for entry in contents.series if entry.unit == "s"))
    name = metric or next(iter(times), None)
    if name is None or name not in times:
        raise UsageError(
            f"{source.path}: no time {name or ''}".rstrip(),
            hint=f"--time, one of: {', '.join(times)}" if times else "name files of runs that have a time",
        )
    cells: Sequence[ImportedSeries | FailedRuns] = (*contents.series, *contents.failures)
    varying = [label for label in _OF_SOLVERS if len({entry.levels.get(label, "") for entry in cells}) > 1]
    return tuple(_list_runs(contents, source, name, varying)), contents.limits.get(name)


def _list_runs(
    contents: FileContents, source: ImportSource, metric: str, varying: Sequence[str]
) -> Iterator[SolverRun]:
    numbers: Counter[tuple[str, str]] = Counter()

    def make(entry: ImportedSeries | FailedRuns, outcome: Outcome, time_s: float) -> SolverRun:
        solver = ", ".join([source.name, *(str(entry.levels.get(label, "")) for label in varying)])
        instance = _name_instance(entry.levels)
        numbers[solver, instance] += 1
        reason = entry.reason if isinstance(entry, FailedRuns) else ""
        return SolverRun(solver, instance, outcome, time_s, str(numbers[solver, instance]), reason=reason)

    for series in contents.series:
        if series.metric == metric:
            for values in series.values:
                yield make(series, "solved", fmean(values))
    for runs in contents.failures:
        alone = runs.failed + runs.timed_out == 1 and len(runs.values) == 1
        time_s = runs.values[0].get(metric, math.inf) if alone else math.inf
        yield from (make(runs, "timeout", time_s) for _ in range(runs.timed_out))
        outcome: Outcome = "wrong" if runs.is_wrong else "failed"
        yield from (make(runs, outcome, time_s) for _ in range(runs.failed))


def _name_instance(levels: Mapping[str, Scalar]) -> str:
    return " ".join(str(level) for name, level in levels.items() if name not in _OF_SOLVERS)
