"""What the kept values say: shares of false findings with intervals over programs, and verdicts."""

from __future__ import annotations

import csv
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from declarations import Verdict, judge_interval
from scipy import stats
from sham import RUNS, Order

HERE: Final = Path(__file__).resolve().parent
MOST: Final = 0.05
"""False findings that a test at 5 % promises."""
COMMAND: Final = ".venv/bin/python studies/placebos/study.py"
Row = dict[str, str]


class Share(NamedTuple):
    """Of false findings: the mean over programs, its 95 % interval, and whether it is at most 5 %."""

    value: float
    low: float
    high: float
    verdict: Verdict


@cache
def rows(name: str) -> list[Row]:
    """Rows of a file of values."""
    with (HERE / "values" / f"{name}.csv").open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def of_order(name: str, order: Order) -> list[Row]:
    """Rows of an order, of all its draws."""
    key = tuple(map(str, (order.turn, order.drawn, order.length, order.used)))
    return [row for row in rows(name) if (row["turn"], row["drawn"], row["length"], row["used"]) == key]


def _by_program(chosen: Iterable[Row], read: Callable[[Row], float]) -> list[float]:
    """The mean of each program over draws."""
    values: dict[str, list[float]] = {}
    for row in chosen:
        values.setdefault(row["program"], []).append(read(row))
    return [statistics.fmean(of_program) for of_program in values.values()]


def share_of_pairs(chosen: Sequence[Row], key: str = "before") -> Share:
    """Pairs that differ, with an interval by t over programs; a program is one, whatever its draws."""
    values = _by_program(chosen, lambda row: int(row[key]) / int(row["pairs"]))
    mean = statistics.fmean(values)
    half = stats.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return _judge(mean, max(0.0, mean - half), min(1.0, mean + half), len(values))


def share_of_families(chosen: Sequence[Row]) -> Share:
    """Programs any of whose pairs differs after Holm, with an exact interval (Clopper, Pearson 1934).

    Draws of a program are averaged, so that its count may be broken; the interval's Beta quantiles take it.
    """
    values = _by_program(chosen, lambda row: float(int(row["after"]) > 0))
    count, number = sum(values), len(values)
    low = stats.beta.ppf(0.025, count, number - count + 1) if count > 0 else 0.0
    high = stats.beta.ppf(0.975, count + 1, number - count) if count < number else 1.0
    return _judge(count / number, float(low), float(high), number)


def _judge(value: float, low: float, high: float, number: int) -> Share:
    return Share(value, low, high, judge_interval("", (low, high), (0.0, MOST), number, COMMAND).verdict)


def least_turn() -> int:
    """The longest turn, drawn, at which the pairs that differ before Holm are shown to be at most 5 %."""
    turns = sorted({int(row["turn"]) for row in rows("families") if row["drawn"] == "True"}, reverse=True)
    return next(
        turn
        for turn in turns
        if share_of_pairs(of_order("families", Order(turn, drawn=True))).verdict == "holds"
    )


def middle(order: Order, key: str) -> float:
    """The median over programs, each the mean over draws, of what a rule gives."""
    return statistics.median(_by_program(of_order("rules", order), lambda row: float(row[key])))


def share_that(order: Order, holds: Callable[[Row], bool]) -> float:
    """The share of programs and draws of which something holds."""
    return statistics.fmean(holds(row) for row in of_order("rules", order))


def by_gap() -> dict[int, tuple[float, float]]:
    """Shares of pairs in the published order that differ before Holm and after, by runs between them."""
    of_gap: dict[int, list[Row]] = {}
    for row in rows("gaps"):
        of_gap.setdefault(int(row["gap"]), []).append(row)
    return {
        gap: (_pooled(chosen, "before"), _pooled(chosen, "after")) for gap, chosen in sorted(of_gap.items())
    }


def _pooled(chosen: Sequence[Row], key: str) -> float:
    return sum(int(row[key]) for row in chosen) / sum(int(row["pairs"]) for row in chosen)


PUBLISHED: Final = Order(RUNS)
BLOCKS: Final = Order(1, drawn=True)
