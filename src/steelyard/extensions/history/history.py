"""From records to a history: what changed, at which commit, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import RecordError, UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers import Chosen
from steelyard.extensions.history.gathering import CondensedRecords, gather
from steelyard.extensions.history.judging import ALPHA, judge
from steelyard.extensions.history.machines import Machines
from steelyard.extensions.history.ordering import Ordered, order_by_commit, order_by_time
from steelyard.extensions.history.reports import is_report
from steelyard.extensions.history.results import History, MachineBreak, Point, SeriesHistory
from steelyard.extensions.repository.repository import Repository
from steelyard.lab.summary.condensing import MACHINE, Watch, ignore_progress
from steelyard.results.left_out import LeftOut
from steelyard.stats.describe.digest import merge, u_of_median
from steelyard.store.differences import differences
from steelyard.store.summaries import Condensed, Labelled

_Key = tuple[str, str, str, int]
"""Metric, treatment, labels in a fixed order, machine."""

CPU_TIME: Final = "cpu_s"
"""Read beside a time that includes waiting, whose noise can hide a change."""


class HistoryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Records, and what is asked of them.

    Attributes
    ----------
    names : sequence of Path
        Records, directories of records, files of summaries, folders of reports, and places of lakes; a URL is
        a text.
    revision : str or None
        Order records by its first parents; by time where ``None``.
    reference : str or None
        Label of the treatment by which all others are divided, record by record.
    ignored : sequence of str
        Facts of a host that make no other machine.
    least : float
        Smallest change of level that counts, as a fraction.
    chosen : Chosen
        Columns of reports that are tables.
    """

    names: Sequence[Path | str]
    metrics: Sequence[str] = ()
    revision: str | None = None
    repository: Path = Path()
    reference: str | None = None
    ignored: Sequence[str] = ()
    alpha: float = ALPHA
    least: float = 0.0
    chosen: Chosen = Chosen()


def history(request: HistoryRequest, watch: Watch = ignore_progress) -> History:
    """Read the records and judge their series.

    Raises
    ------
    UsageError
        No records, or a name, metric, revision or reference that is not there.
    RecordError
        Records of different specs.
    """
    gathered = gather(
        request.names,
        request.metrics,
        watch,
        beside=() if request.metrics else (CPU_TIME,),
        chosen=request.chosen,
    )
    _refuse_none(gathered.records, gathered.left_out)
    _refuse_other_specs(gathered.records)
    if request.revision is None:
        ordered = order_by_time(gathered.records)
    else:
        ordered = order_by_commit(gathered.records, Repository(request.repository), request.revision)
        _refuse_none(ordered.records, ordered.left_out)
    machines = Machines([fact for fact in MACHINE if fact not in request.ignored])
    of_commit = {
        commit: [machines.find(summary) for summary in records] for commit, records in ordered.records.items()
    }
    names = set(request.metrics) or set(gathered.judged)
    series = _get_series(ordered, of_commit, gathered, request.reference)
    judged, beside = (
        judge(
            family,
            ordered.line,
            alpha=request.alpha,
            least=request.least,
            wanders=request.reference is None,
        )
        for family in (
            [entry for entry in series if entry.metric.name in names],
            [entry for entry in series if entry.metric.name not in names],
        )
    )
    *_, last = ordered.records
    return History(
        experiment=ordered.records[last][-1].experiment,
        records=sum(map(len, ordered.records.values())),
        order="git" if request.revision is not None else "name" if gathered.by_name else "time",
        first=ordered.line[0],
        last=ordered.line[-1],
        missing=len(ordered.line) - len(ordered.records),
        alpha=request.alpha,
        reference=request.reference,
        machines=tuple(machines.facts),
        breaks=_get_breaks(of_commit, machines),
        left_out=(*gathered.left_out, *ordered.left_out),
        series=tuple(_mark_ends(judged, tuple(ordered.records))),
        commits=tuple(ordered.records),
        unmeasured=ordered.unmeasured,
        unclear=_list_unclear(judged, gathered.records),
        cpu_time=_get_unseen(judged, beside),
    )


def first_since(over: History, request: HistoryRequest, since: str) -> str:
    """Resolve a commit of the history's repository to the first record of it or of a later commit.

    The commit may be with a record or without. In the order of time, records have names of their own, and
    ``since`` is one.

    Raises
    ------
    UsageError
        No such commit, one that the last one with a record does not contain, or no record from it on.
    """
    if request.revision is None:
        return since
    repository = Repository(request.repository)
    commit = repository.commit(since)
    if repository.is_ancestor(commit, over.last):
        later = {commit, *repository.descendants(commit, over.last)}
        return next(measured for measured in over.commits if measured in later)
    if not repository.is_ancestor(over.last, commit):
        raise UsageError(
            f"--since {since}: {over.last[:10]}, the last commit with a record, does not contain"
            f" {commit[:10]}",
            hint="name a commit of the history, or one that was merged into it",
        )
    raise UsageError(
        f"--since {since}: no record of {commit[:10]} or of a later commit",
        hint=f"measure one of them; the last commit with a record is {over.last[:10]}",
    )


def _refuse_none(records: Sequence[Condensed] | Mapping[str, object], left_out: Sequence[LeftOut]) -> None:
    if records:
        return
    first = left_out[0] if left_out else LeftOut("the file", "holds none")
    text = f", and {len(left_out) - 1} more records" if len(left_out) > 1 else ""
    raise UsageError(
        f"no record is left: {first.record} {first.why}{text}",
        hint="--git takes records that have a commit in their name; steelyard status RECORD shows its state",
    )


def _refuse_other_specs(records: Sequence[Condensed]) -> None:
    first = records[0]
    for record in records:
        if record.spec != first.spec:
            texts = differences(msgspec.json.decode(first.spec), msgspec.json.decode(record.spec))
            text = "".join(f"\n    {line}" for line in texts)
            raise RecordError(
                f"{first.name} and {record.name} are of different specs, which differ in:{text}",
                hint="give the records of one spec; a spec that has changed begins another history",
            )


def _get_series(
    ordered: Ordered,
    of_commit: Mapping[str, Sequence[int]],
    gathered: CondensedRecords,
    reference: str | None,
) -> list[SeriesHistory]:
    """One series a metric, treatment, labels and machine; records of one commit and machine are one point."""
    points: dict[_Key, dict[str, Point]] = {}
    labelled: dict[_Key, tuple[str, Labelled]] = {}
    for commit, records in ordered.records.items():
        for record, machine in zip(records, of_commit[commit], strict=True):
            for metric, entries in record.digests.items():
                bases = _find_bases(entries, reference, record)
                for entry in entries:
                    labels = _format_key(entry.labels)
                    if entry.treatment == reference or (reference is not None and labels not in bases):
                        continue
                    key = metric, entry.treatment, labels, machine
                    labelled.setdefault(key, (metric, entry))
                    by_record = points.setdefault(key, {})
                    by_record[commit] = _join(
                        by_record.get(commit), _make_point(commit, entry, bases.get(labels))
                    )
    return [
        SeriesHistory(
            entry.treatment, gathered.metrics[metric], entry.labels, key[-1], tuple(points[key].values())
        )
        for key, (metric, entry) in sorted(labelled.items(), key=lambda item: item[0])
    ]


def _mark_ends(judged: Sequence[SeriesHistory], commits: Sequence[str]) -> Iterator[SeriesHistory]:
    """Yield the series, those with an end that more of the newest records lack than ever lacked them.

    A weekly test among nightly ones has not ended after a night.
    """
    order = {commit: place for place, commit in enumerate(commits)}
    of_test: dict[tuple[str, str, str], set[int]] = {}
    for series in judged:
        places = of_test.setdefault(_identify(series), set())
        places |= {order[point.commit] for point in series.points}
    for series in judged:
        places_of = sorted(of_test[_identify(series)])
        usual = max((after - before for before, after in pairwise(places_of)), default=1)
        has_ended = len(commits) - places_of[-1] > usual
        yield replace(series, ends=commits[places_of[-1]]) if has_ended else series


def _identify(series: SeriesHistory) -> tuple[str, str, str]:
    return series.metric.name, series.treatment, _format_key(series.labels)


def _list_unclear(judged: Sequence[SeriesHistory], records: Sequence[Condensed]) -> tuple[str, ...]:
    """List metrics of reports without a better side; a spec says so on purpose."""
    if not any(map(is_report, records)):
        return ()
    return tuple(dict.fromkeys(series.metric.name for series in judged if series.metric.better == "neither"))


def _get_unseen(
    judged: Sequence[SeriesHistory], beside: Sequence[SeriesHistory]
) -> tuple[SeriesHistory, ...]:
    """CPU times whose level changes where a time of the same records does not."""
    steady = {
        (series.treatment, _format_key(series.labels), series.machine)
        for series in judged
        if series.metric.unit == "s" and not any(change.kind == "level" for change in series.changes)
    }
    return tuple(
        replace(series, changes=levels)
        for series in beside
        if (series.treatment, _format_key(series.labels), series.machine) in steady
        and (levels := tuple(change for change in series.changes if change.kind == "level"))
    )


def _format_key(labels: Mapping[str, Scalar]) -> str:
    return str(sorted(labels.items())) if labels else ""


def _find_bases(entries: Sequence[Labelled], reference: str | None, record: Condensed) -> dict[str, Labelled]:
    """Return the reference program by its labels; empty where there is none."""
    bases = {_format_key(entry.labels): entry for entry in entries if entry.treatment == reference}
    if reference is not None and not bases:
        text = ", ".join(dict.fromkeys(entry.treatment for entry in entries))
        raise UsageError(
            f"{record.name} has no treatment {reference!r} to divide by",
            hint=f"--reference with one of: {text}",
        )
    return bases


def _make_point(commit: str, entry: Labelled, base: Labelled | None) -> Point:
    u = u_of_median(entry.digest)
    if base is None:
        return Point(commit, entry.digest, entry.digest.median, u)
    # Blocks that both share would make this smaller; a digest does not know them.
    both = math.hypot(u, u_of_median(base.digest))
    return Point(commit, entry.digest, entry.digest.median / base.digest.median, both)


def _join(point: Point | None, later: Point) -> Point:
    if point is None:
        return later
    n, m = point.digest.n, later.digest.n
    return replace(
        point,
        digest=merge(point.digest, later.digest),
        median=math.exp((n * math.log(point.median) + m * math.log(later.median)) / (n + m)),
        u=math.hypot(n * point.u, m * later.u) / (n + m),
    )


def _get_breaks(of_commit: Mapping[str, Sequence[int]], machines: Machines) -> tuple[MachineBreak, ...]:
    return tuple(
        MachineBreak(before, behind, machines.describe_break(old[-1], new[0]))
        for (before, old), (behind, new) in pairwise(of_commit.items())
        if old[-1] != new[0]
    )
