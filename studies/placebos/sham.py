"""Runs of one treatment, as they followed each other, dealt out to arms that are one thing."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

STUDY: Final = Path(__file__).resolve().parents[1] / "execution-time-variability"
PARTS: Final = ("environment", "npb-environment", "nas-environment")
"""Of which ``values/PART-null-rows.csv`` has one treatment eight times, 30 runs in a row each."""
ARMS: Final = 8
RUNS: Final = 30
"""Of an arm, as published."""
METRIC: Final = "wall_s"
PROGRAM: Final = ("command", "class", "opt")
Series = Mapping[str, Sequence[float]]


class Order(NamedTuple):
    """How arms follow each other.

    Attributes
    ----------
    turn : int
        Runs of an arm in a row; 30 are the published order.
    drawn : bool
        Whether each round has the arms in an order of its own, drawn with ``seed``.
    length : int
        Runs that follow each other and are added to one, as if a run took so many times as long.
    used : int
        Values of each arm that are used, the first ones; 0 are all.
    """

    turn: int
    drawn: bool = False
    seed: int = 0
    length: int = 1
    used: int = 0


@cache
def read_series() -> Series:
    """Wall times in seconds of 240 runs of each program as they ran; by part and program."""
    series: dict[str, list[float]] = {}
    for part in PARTS:
        with (STUDY / "values" / f"{part}-null-rows.csv").open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                if row[METRIC]:
                    words = [row[key] for key in PROGRAM if row.get(key)]
                    series.setdefault(" ".join([part, *words]), []).append(float(row[METRIC]))
    return series


def lengthen(times: Sequence[float], length: int) -> list[float]:
    """Sums of runs that follow each other."""
    return [sum(times[start : start + length]) for start in range(0, len(times) - length + 1, length)]


def deal(order: Order, runs: int) -> list[int]:
    """The arm of each of so many runs, from 0.

    Raises
    ------
    ValueError
        Turns do not divide the runs of an arm.
    """
    if runs % (ARMS * order.turn):
        raise ValueError(f"turns of {order.turn} do not divide {runs} runs among {ARMS} arms")
    draw = random.Random(f"{order.seed} {order.turn}")
    dealt: list[int] = []
    while len(dealt) < runs:
        arms = list(range(ARMS))
        if order.drawn:
            draw.shuffle(arms)
        dealt += [arm for arm in arms for _ in range(order.turn)]
    return dealt


def arms_of(times: Sequence[float], order: Order) -> list[list[float]]:
    """Values of each arm, in the order in which they ran."""
    longer = lengthen(times, order.length)
    arms: list[list[float]] = [[] for _ in range(ARMS)]
    for arm, value in zip(deal(order, len(longer)), longer, strict=True):
        arms[arm].append(value)
    return [arm[: order.used or None] for arm in arms]


def rows_of(series: Series, order: Order) -> Iterator[dict[str, str]]:
    """Rows that ``kept_values.rebuild`` makes a record of."""
    for program, times in series.items():
        for arm, values in enumerate(arms_of(times, order), 1):
            for block, value in enumerate(values, 1):
                yield {"program": program, "arm": str(arm), "block": str(block), METRIC: repr(value)}
