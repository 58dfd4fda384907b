"""From series of records to the changes in them, all series of a history judged as one family."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.answers.history import Change, Direction, Kind, SeriesHistory
from steelyard.answers.interval import Interval
from steelyard.stats.history.kinds import SCALES, unscaled
from steelyard.stats.history.place import Step
from steelyard.stats.history.steps import FEWEST, Examined, drift, examine, steps
from steelyard.stats.hypothesis.false_discovery import benjamini_hochberg
from steelyard.units import Better

ALPHA: Final = 0.01
"""A history is looked at after every commit: at 5 %, every twentieth stable series would cry once."""


class _Tested(msgspec.Struct, frozen=True):
    series: int
    kind: Kind
    found: Examined


def judge(
    series: Sequence[SeriesHistory],
    line: Sequence[str],
    *,
    alpha: float = ALPHA,
    least: float = 0.0,
    drifts: bool = True,
) -> tuple[SeriesHistory, ...]:
    """Find the changes of each series.

    Parameters
    ----------
    series : sequence of SeriesHistory
        With their points, in the order of ``line``.
    line : sequence of str
        All commits of the history, those without a record too.
    alpha : float
        Share of false alarms among the series that are said to change.
    least : float
        Changes of level by a smaller fraction are left out.
    drifts : bool
        Whether a machine may drift; not where a reference program takes that out.
    """
    tested = [
        _Tested(number, kind, examine(scaled.values, scaled.u))
        for number, each in enumerate(series)
        if len(each.points) >= FEWEST
        for kind, scale in SCALES.items()
        if (scaled := scale(each.points)) is not None
    ]
    family = benjamini_hochberg([each.found.p for each in tested], alpha)
    level = family[0].level if family else alpha
    places = {commit: place for place, commit in enumerate(line)}
    judged = [
        each if len(each.points) >= FEWEST else replace(each, refused=_too_few(len(each.points)))
        for each in series
    ]
    for test in tested:
        located = steps(test.found, level) if test.found.p <= level else []
        old = judged[test.series]
        if test.kind == "level":
            names = tuple(old.points[place].commit for place in test.found.outliers)
            old = replace(old, noise=test.found.sd, correlation=test.found.phi, outliers=names)
            slope = drift(test.found, located) if drifts else None
            if slope is not None:
                old, located = replace(old, drift=math.exp(slope)), []
            located = [step for step in located if abs(math.expm1(step.size)) >= least]
        changes = _changes(test, located, old, line, places)
        judged[test.series] = replace(old, changes=(*old.changes, *changes))
    return tuple(judged)


def _too_few(n: int) -> str:
    records = "1 record" if n == 1 else f"{n} records"
    return f"{records} from one machine, and {FEWEST} are the least in which a change can be told"


def _changes(
    test: _Tested,
    located: Sequence[Step],
    of: SeriesHistory,
    line: Sequence[str],
    places: Mapping[str, int],
) -> list[Change]:
    found = [
        Change(
            kind=test.kind,
            last_before=of.points[step.split - 1].commit,
            first=of.points[step.split].commit,
            commits=_candidates(step, of, line, places),
            probability=step.probability,
            before=unscaled(test.kind, step.before),
            after=unscaled(test.kind, step.behind),
            ratio=None if test.kind == "slow_runs" else math.exp(step.size),
            ci95=_interval(test.kind, step),
            p=test.found.null.p(abs(step.t)),
            direction=_direction(test.kind, of.metric.better, step.size),
        )
        for step in located
    ]
    undone = {
        place: found[place + 1].first
        for place, (step, later) in enumerate(pairwise(located))
        if abs(step.size + later.size) < 2 * math.hypot(step.u, later.u)
    }
    return [replace(each, undone_by=undone.get(place)) for place, each in enumerate(found)]


def _candidates(
    step: Step, of: SeriesHistory, line: Sequence[str], places: Mapping[str, int]
) -> tuple[str, ...]:
    """The commits that may have made a step: with each record, those since the record before."""
    between = (
        (places[of.points[split - 1].commit], places[of.points[split].commit]) for split in step.splits
    )
    return tuple(commit for before, last in between for commit in line[before + 1 : last + 1])


def _interval(kind: Kind, step: Step) -> Interval | None:
    if kind == "slow_runs":
        return None
    return Interval(math.exp(step.size - step.halfwidth), math.exp(step.size + step.halfwidth))


def _direction(kind: Kind, better: Better, size: float) -> Direction:
    if kind == "level" and better == "neither":
        return "neither"
    worse = size < 0 if kind == "level" and better == "higher" else size > 0
    return "worse" if worse else "better"
