"""From series of records to the changes in them, all series of a history judged as one family."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.units import Better
from steelyard.extensions.history.kinds import SCALES, unscale
from steelyard.extensions.history.noise import LEAST_SIDE
from steelyard.extensions.history.place import Step
from steelyard.extensions.history.results import Change, Kind, Resolvable, SeriesHistory, Wander
from steelyard.extensions.history.steps import FEWEST, Examined, Steps, examine, search
from steelyard.extensions.history.wander import describe
from steelyard.results.direction import Direction
from steelyard.results.interval import Interval
from steelyard.stats.hypothesis.false_discovery import benjamini_hochberg

ALPHA: Final = 0.01
"""A history is looked at after every commit: at 5 %, every twentieth stable series would cry once."""
POWER: Final = 0.8
"""Of a change that would probably have been detected."""
OWN_NOISE: Final = 1.4
"""Times 1/sqrt(n), by which a step raises the critical one of its series (simulated from 12 records on)."""
LARGEST_LOG: Final = 50.0
"""Of a step that is stated as a ratio."""


_ARITHMETIC: Final = (ArithmeticError, AssertionError, LookupError, ValueError)
"""What a defect of an analysis raises; ``numpy.linalg.LinAlgError`` is a ``ValueError``."""


class _Tested(msgspec.Struct, frozen=True):
    series: int
    kind: Kind
    examined: Examined


def judge(
    series: Sequence[SeriesHistory],
    line: Sequence[str],
    *,
    alpha: float = ALPHA,
    least: float = 0.0,
    wanders: bool = True,
) -> tuple[SeriesHistory, ...]:
    """Find the changes of each series.

    A series whose analysis fails is said to be broken off; the others are judged.

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
    wanders : bool
        Whether levels may wander with the machine; not where a reference program takes that out.
    """
    judged = list(series)
    tested: list[_Tested] = []
    for number, history in enumerate(series):
        if len(history.points) < FEWEST:
            judged[number] = replace(history, refused=_describe_too_few(len(history.points)))
            continue
        try:
            tested += _examine(number, history)
        except _ARITHMETIC as error:
            judged[number] = _break_off(history, error)
    family = benjamini_hochberg([test.examined.p for test in tested], alpha)
    level = family[0].level if family else alpha
    places = {commit: place for place, commit in enumerate(line)}
    for test in tested:
        history = judged[test.series]
        if history.broken_off:
            continue
        try:
            judged[test.series] = _judge(history, test, level, line, places, least=least, wanders=wanders)
        except _ARITHMETIC as error:
            judged[test.series] = _break_off(series[test.series], error)
    return tuple(judged)


def _examine(number: int, history: SeriesHistory) -> list[_Tested]:
    return [
        _Tested(number, kind, examine(scaled.values, scaled.u))
        for kind, scale in SCALES.items()
        if (scaled := scale(history.points)) is not None
    ]


def _break_off(history: SeriesHistory, error: Exception) -> SeriesHistory:
    return replace(history, broken_off=f"{type(error).__name__}: {error}")


def _judge(
    history: SeriesHistory,
    test: _Tested,
    level: float,
    line: Sequence[str],
    places: Mapping[str, int],
    *,
    least: float,
    wanders: bool,
) -> SeriesHistory:
    """Return the series with what one kind of change shows."""
    examined = test.examined
    steps = search(examined, level) if examined.p <= level else Steps(examined)
    if test.kind == "level":
        history = replace(
            history,
            noise=examined.sd,
            correlation=examined.phi,
            outliers=tuple(history.points[place].commit for place in examined.outliers),
            resolvable=_make_resolvable(steps.examined, level),
        )
    if wanders and (fit := describe(steps)) is not None:
        ratio = math.exp(fit.drift) if fit.pattern == "line" else None
        return replace(history, wanders=(*history.wanders, Wander(test.kind, fit.pattern, ratio)))
    if test.kind == "level":
        large = tuple(step for step in steps.located if abs(math.expm1(step.size)) >= least)
        steps = replace(steps, located=large)
    return replace(
        history, changes=(*history.changes, *_compute_changes(test.kind, steps, history, line, places))
    )


def _make_resolvable(examined: Examined, level: float) -> Resolvable:
    """Return the step that shows in 80 % of cases.

    It exceeds the critical one by the normal quantile at 80 %, and by what it adds to the noise and the
    correlation that are estimated with it in the series.
    """
    n = examined.series.size
    least = (examined.null.critical(level) + NormalDist().inv_cdf(POWER)) * examined.long_run
    least *= 1 + OWN_NOISE / math.sqrt(n)
    return Resolvable(
        middle=_as_ratio(least * math.sqrt(4 / n)),
        latest=_as_ratio(least * math.sqrt(1 / LEAST_SIDE + 1 / (n - LEAST_SIDE))),
    )


def _as_ratio(size: float) -> float:
    """Return a step of logarithms as a fraction."""
    return math.expm1(min(size, LARGEST_LOG))


def _describe_too_few(n: int) -> str:
    records = "1 record" if n == 1 else f"{n} records"
    return f"{records} from one machine, and {FEWEST} are the least in which a change can be told"


def _compute_changes(
    kind: Kind,
    steps: Steps,
    history: SeriesHistory,
    line: Sequence[str],
    places: Mapping[str, int],
) -> list[Change]:
    changes = [
        Change(
            kind=kind,
            last_before=history.points[step.split - 1].commit,
            first=history.points[step.split].commit,
            commits=_get_candidates(step, history, line, places),
            probability=step.probability,
            before=unscale(kind, step.before),
            after=unscale(kind, step.behind),
            ratio=None if kind == "slow_runs" else math.exp(step.size),
            ci95=_compute_interval(kind, step),
            p=steps.p(step),
            direction=_make_direction(kind, history.metric.better, step.size),
        )
        for step in steps.located
    ]
    undone = {
        place: changes[place + 1].first
        for place, (step, later) in enumerate(pairwise(steps.located))
        if abs(step.size + later.size) < 2 * math.hypot(step.u, later.u)
    }
    return [replace(change, undone_by=undone.get(place)) for place, change in enumerate(changes)]


def _get_candidates(
    step: Step, history: SeriesHistory, line: Sequence[str], places: Mapping[str, int]
) -> tuple[str, ...]:
    """Return the commits that may have made a step: with each record, those since the record before."""
    between = (
        (places[history.points[split - 1].commit], places[history.points[split].commit])
        for split in step.splits
    )
    return tuple(commit for before, last in between for commit in line[before + 1 : last + 1])


def _compute_interval(kind: Kind, step: Step) -> Interval | None:
    if kind == "slow_runs":
        return None
    return Interval(math.exp(step.size - step.halfwidth), math.exp(step.size + step.halfwidth))


def _make_direction(kind: Kind, better: Better, size: float) -> Direction:
    if kind == "level" and better == "neither":
        return "neither"
    worse = size < 0 if kind == "level" and better == "higher" else size > 0
    return "worse" if worse else "better"
