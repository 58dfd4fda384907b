"""What was measured over real sockets beside what ``predicted.csv`` had predicted."""

from __future__ import annotations

import csv
import math
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import kept_values  # noqa: E402 -- what studies share lies beside them
from chance import Agreement, compare_with_chance  # noqa: E402
from predicted import FILE  # noqa: E402
from scipy.stats import binomtest  # noqa: E402

PART: Final = "sockets"
CLOSE: Final = 0.25
"""A prediction that is farther off has failed."""
ENOUGH: Final = 0.9
"""Of the highest rate: as many tasks as give it are enough."""


class Point(NamedTuple):
    """A treatment: levels, the predicted and the measured rate, and what was to bound it."""

    p: int
    delay_ms: float
    tasks: int
    age_ms: float
    predicted: float
    measured: float
    bound: str

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.measured / self.predicted


def points() -> list[Point]:
    """Medians over blocks, in the order of predictions."""
    rates = {
        tuple(float(sample.levels[name]) for name in ("p", "delay_ms", "tasks", "age_ms")): statistics.median(
            sample.values
        )
        for sample in kept_values.kept(HERE, PART).samples("rate")
    }
    with FILE.open(newline="", encoding="utf-8") as file:
        return [
            Point(
                int(row["p"]),
                float(row["delay_ms"]),
                int(row["tasks"]),
                float(row["age_ms"]),
                float(row["rate"]),
                rates[tuple(float(row[name]) for name in ("p", "delay_ms", "tasks", "age_ms"))],
                row["bound"],
            )
            for row in csv.DictReader(file)
        ]


class Shares(NamedTuple):
    """Of so many predictions of one bound, how many are close, and how far off they are."""

    close: int
    number: int
    low: float
    high: float
    ratio: float
    farthest: float

    @property
    def verdict(self) -> str:
        """Whether most predictions are close, by the exact interval."""
        return "holds" if self.low > 0.5 else "fails" if self.high < 0.5 else "not resolved"


def shares(chosen: list[Point]) -> Shares:
    """How many predictions are close, with the exact 95 % interval; the median ratio, and the farthest."""
    close = sum(abs(point.ratio - 1) <= CLOSE for point in chosen)
    ends = binomtest(close, len(chosen)).proportion_ci(0.95)
    ratios = [point.ratio for point in chosen]
    farthest = max(ratios, key=lambda ratio: abs(math.log(ratio)))
    return Shares(close, len(chosen), ends.low, ends.high, statistics.median(ratios), farthest)


class Best(NamedTuple):
    """A choice that was predicted, and the one that was measured."""

    where: tuple[float, ...]
    predicted: float
    measured: float
    lost: float
    """What the predicted choice has less than the best one, as a fraction."""


def enough_tasks() -> Iterator[Best]:
    """For each number of ranks, delay and age: the least tasks that give nine tenths of the highest rate."""
    for levels, group in _groups("p", "delay_ms", "age_ms"):
        picks = []
        for name in ("predicted", "measured"):
            most = max(getattr(point, name) for point in group)
            picks.append(min(point.tasks for point in group if getattr(point, name) >= ENOUGH * most))
        most = max(point.measured for point in group)
        (chosen,) = (point.measured for point in group if point.tasks == picks[0])
        yield Best(levels, picks[0], picks[1], 1 - chosen / most)


def best_age() -> Iterator[Best]:
    """For each number of ranks, delay and tasks: the flush age of the highest rate."""
    for levels, group in _groups("p", "delay_ms", "tasks"):
        first = max(group, key=lambda point: point.predicted)
        best = max(group, key=lambda point: point.measured)
        yield Best(levels, first.age_ms, best.age_ms, 1 - first.measured / best.measured)


def most_lost(age_ms: float) -> float:
    """The most that a flush age gives up against the best, over ranks, delays and tasks, as a fraction."""
    return max(
        1 - point.measured / max(peer.measured for peer in group)
        for _, group in _groups("p", "delay_ms", "tasks")
        for point in group
        if point.age_ms == age_ms
    )


def _groups(*names: str) -> Iterator[tuple[tuple[float, ...], list[Point]]]:
    groups: dict[tuple[float, ...], list[Point]] = {}
    for point in points():
        groups.setdefault(tuple(getattr(point, name) for name in names), []).append(point)
    yield from groups.items()


def agreements() -> list[Agreement]:
    """Choices that were predicted, and as many as would be right if they were shuffled."""
    return [
        compare_with_chance(
            title,
            [(item.predicted, item.measured) for item in items],
            lambda predicted, measured: predicted == measured,
        )
        for title, items in (("least tasks", [*enough_tasks()]), ("best flush age", [*best_age()]))
    ]
