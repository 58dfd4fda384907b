"""A gate over reports that are there already: folders of base and of head, variable by variable.

Nothing runs. Every file is a session whose mean is one value, and every variable of every test is a claim of
one family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

import msgspec

from steelyard.claims.verdict import Checked
from steelyard.core.errors import ProgramError, UsageError
from steelyard.core.units import Better
from steelyard.extensions.exchange.imported import FailurePolicy, ImportSource, import_files
from steelyard.extensions.exchange.importers import Chosen
from steelyard.extensions.exchange.recording import FILE
from steelyard.extensions.exchange.report_folders import ReportFolder, list_folder
from steelyard.extensions.exchange.variable_claims import BENCHMARK, VariableClaims
from steelyard.lab.answer.check import check
from steelyard.report.text.label import plural
from steelyard.spec.claims.ratio import NotSlower
from steelyard.store import Record

BASE: Final = "base"
HEAD: Final = "head"


class ReportsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Reports of both sides, and what is asked of them.

    Attributes
    ----------
    base, head : Path
        A folder of reports, or one.
    metrics : sequence of str
        Those that are judged; all where there are none.
    margin : float
        A slowdown up to this passes, as a fraction; ``margins`` has those of single metrics.
    better : Mapping[str, {"lower", "higher"}]
        Of metrics whose unit does not say it.
    allow_failures : int
        Runs of each side that may fail: the values that are left are judged.
    chosen : Chosen
        Columns of reports that are tables.
    """

    base: Path
    head: Path
    metrics: Sequence[str] = ()
    margin: float
    margins: Mapping[str, float] = {}
    better: Mapping[str, Better] = {}
    allow_failures: int = 0
    chosen: Chosen = Chosen()


class SideValue(msgspec.Struct, frozen=True):
    """A variable of a test on one side: the mean over reports, in the SI unit of the metric."""

    mean: float
    unit: str
    reports: int


class ReportsGate(msgspec.Struct, frozen=True):
    """The verdicts, and tests that only one side has.

    Attributes
    ----------
    values : Mapping[tuple of str, SideValue]
        By side, test and metric: of one report, too, on which no verdict rests.
    gone, new : tuple of str
        Variables of tests: ``rate of Solver node=nid01``.
    unclear : tuple of str
        Metrics that are not judged, since nothing says which way is better.
    failures : int
        Runs that failed and may not: of head, or more of a side than are allowed.
    documents : tuple of str
        Files that are no reports, by their names.
    """

    checked: Checked
    gone: tuple[str, ...]
    new: tuple[str, ...]
    unclear: tuple[str, ...]
    failures: int
    documents: tuple[str, ...] = ()
    values: Mapping[tuple[str, str, str], SideValue] = {}

    def list_troubles(self, *, strict: bool) -> dict[str, str]:
        """Return what the exit code says and no verdict, with the reason: it stands in every document."""
        troubles = dict.fromkeys(self.gone, "only base has it")
        if self.failures:
            troubles["failed runs"] = f"{plural(self.failures, 'run')} failed"
        if strict:
            reason = "its unit does not say which way is better (--better NAME=higher)"
            troubles |= dict.fromkeys(self.unclear, reason)
        return troubles

    def exit_code(self, *, strict: bool) -> int:
        """1 where a variable is worse, 6 where one is gone, 5 where runs failed that may not.

        Otherwise 3 where nothing was decided, and under ``strict`` where a variable is open.
        """
        if (code := self.checked.exit_code(strict=strict)) == 1:
            return code
        if self.gone:
            return 6
        if self.failures:
            return ProgramError.exit_code
        if self.checked.is_undecided or (strict and self.unclear):
            return 3
        return code


def gate_reports(request: ReportsRequest, directory: Path) -> ReportsGate:
    """Judge the reports of head against those of base; the record of their values is ``directory``.

    Raises
    ------
    UsageError
        A report cannot be read, or the sides have nothing in common.
    """
    folders = {BASE: _list_reports(request.base), HEAD: _list_reports(request.head)}
    sources = [ImportSource(side, path) for side, folder in folders.items() for path in folder.reports]
    if request.base.resolve() == request.head.resolve():
        raise UsageError(f"{request.base} is both sides", hint="name two folders")
    claims = VariableClaims(
        (BASE, HEAD),
        metrics=request.metrics,
        margin=request.margin,
        margins=request.margins,
        better=request.better,
    )
    policy: FailurePolicy = "ignore" if request.allow_failures else "refuse"
    with import_files(sources, directory, chosen=request.chosen, policy=policy, claims=claims) as record:
        checked = check(record)
        numbers = {side: len(folder.reports) for side, folder in folders.items()}
        values = _list_values(record, checked, numbers)
    return ReportsGate(
        checked,
        tuple(claims.gone),
        tuple(claims.new),
        tuple(claims.unclear),
        _count_failures(claims.failed_runs, request.allow_failures),
        tuple(str(path) for folder in folders.values() for path in folder.documents),
        values,
    )


def _list_values(
    record: Record, checked: Checked, numbers: Mapping[str, int]
) -> dict[tuple[str, str, str], SideValue]:
    """List what both sides have of the variables that are judged; ``numbers`` are reports of each side."""
    claims = [verdict.claim for verdict in checked.verdicts if isinstance(verdict.claim, NotSlower)]
    metrics = dict.fromkeys(str(claim.metric) for claim in claims)
    samples = record.samples(*metrics) if metrics else []
    values: dict[tuple[str, str, str], SideValue] = {}
    for sample in samples:
        if sample.values:
            side, test = (str(sample.treatment.levels[name]) for name in (FILE, BENCHMARK))
            # Values of a single report are repetitions in it.
            reports = len(sample.values) if numbers[side] > 1 else 1
            values[side, test, sample.metric.name] = SideValue(
                fmean(sample.values), sample.metric.unit, reports
            )
    return values


def _count_failures(failed: Mapping[str, int], allowed: int) -> int:
    """Count the runs that failed and may not: of head, or more of a side than are allowed."""
    numbers = [failed.get(side, 0) for side in ((BASE, HEAD) if allowed else (HEAD,))]
    return sum(number for number in numbers if number > allowed)


def _list_reports(name: Path) -> ReportFolder:
    if not name.exists():
        raise UsageError(f"{name} does not exist", hint="name a folder of reports, or a report")
    folder = list_folder(name)
    if not folder.reports:
        raise UsageError(f"{name} holds no report", hint="name a folder of reports, or a report")
    return folder
