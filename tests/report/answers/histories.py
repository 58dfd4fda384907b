"""Histories by hand: a step that is undone, two machines, and records that are left out."""

from __future__ import annotations

from msgspec.structs import replace

from steelyard.core.units import BUILTIN
from steelyard.extensions.history.results import (
    Change,
    History,
    MachineBreak,
    Point,
    Resolvable,
    SeriesHistory,
    Wander,
)
from steelyard.results.digest import Digest
from steelyard.results.interval import Interval
from steelyard.results.left_out import LeftOut

IDS = [f"{place:02x}" * 20 for place in range(20)]


def points(count: int = 20, value: float = 0.012) -> tuple[Point, ...]:
    return tuple(Point(IDS[place], Digest(10, value, 0.01, 0), value, 0.004) for place in range(count))


CHANGE = Change(
    kind="level",
    last_before=IDS[9],
    first=IDS[10],
    commits=(IDS[10], IDS[11]),
    probability=0.973,
    before=0.01204,
    after=0.01266,
    ratio=1.0515,
    ci95=Interval(1.046, 1.0571),
    p=1e-9,
    direction="worse",
    undone_by=IDS[15],
)
SERIES = SeriesHistory(
    "nbody",
    BUILTIN["wall_s"],
    {},
    1,
    points(),
    noise=0.0123,
    correlation=0.21,
    changes=(CHANGE,),
    resolvable=Resolvable(0.031, 0.058),
)
FOUND = History(
    experiment="gate",
    records=20,
    order="git",
    first=IDS[0],
    last=IDS[19],
    missing=3,
    alpha=0.01,
    reference=None,
    machines=({"cpu_model": "x"},),
    breaks=(),
    left_out=(),
    series=(SERIES,),
    commits=tuple(IDS),
)


def a_step() -> History:
    return FOUND


def a_regression_that_stands() -> History:
    return replace(FOUND, series=(replace(SERIES, changes=(replace(CHANGE, undone_by=None),)),))


def two_machines() -> History:
    """Two programs on a machine that is exchanged, a change of scatter and one of slow runs, an outlier."""
    first = replace(SERIES, points=points(12), outliers=(IDS[3],))
    spread = replace(CHANGE, kind="spread", before=0.01, after=0.03, ratio=3.0, ci95=Interval(2.2, 4.1))
    slow = replace(CHANGE, kind="slow_runs", before=0.05, after=0.35, ratio=None, ci95=None)
    second = replace(SERIES, machine=2, points=points()[12:], changes=())
    result = replace(SERIES, treatment="<script>", changes=(spread, slow), points=points(12))
    few = replace(SERIES, treatment="few", changes=(), refused="3 records from one machine", points=points(3))
    return replace(
        FOUND,
        machines=({"kernel": "a", "cpu_model": "x"}, {"kernel": "b", "cpu_model": "x"}),
        breaks=(MachineBreak(IDS[11], IDS[12], ('kernel: "a" → "b"',)),),
        left_out=(LeftOut("x.lab", "is damaged", unreadable=True),),
        series=(first, second, result, few),
    )


def a_drift() -> History:
    return replace(FOUND, series=(replace(SERIES, changes=(), wanders=(Wander("level", "line", 1.22),)),))


def a_walk() -> History:
    return replace(FOUND, series=(replace(SERIES, changes=(), wanders=(Wander("level", "walk"),)),))


def nothing_changed() -> History:
    return replace(FOUND, order="time", series=(replace(SERIES, changes=()),))


HISTORIES = (a_step, a_regression_that_stands, two_machines, a_drift, a_walk, nothing_changed)
