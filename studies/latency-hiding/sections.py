#!/usr/bin/env python3
"""Sections of the README that are written from data: ``sections.py [--check]``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import comparison  # noqa: E402 -- what studies share lies beside them
import written_sections  # noqa: E402
from chance import HEAD  # noqa: E402
from comparison import Best, Point  # noqa: E402
from readme_tables import write_table  # noqa: E402


def _row(name: str, chosen: list[Point]) -> list[str]:
    result = comparison.shares(chosen)
    interval = f"{100 * result.low:.0f} to {100 * result.high:.0f} %"
    return [
        name,
        f"{result.close} of {result.number}",
        interval,
        result.verdict,
        f"{result.ratio:.3f}",
        f"{result.farthest:.2f}",
    ]


def rates() -> str:
    """How close predicted rates are, by what was to bound them and by the number of ranks."""
    points = comparison.points()
    rows = [_row("all", points)]
    rows += [
        _row(f"bound by the {bound}", [point for point in points if point.bound == bound])
        for bound in ("latency", "link")
    ]
    rows += [_row(f"p = {p}", [point for point in points if point.p == p]) for p in (2, 4, 8)]
    head = ("predictions", "within 25 %", "95 % of that share", "most are", "median ratio", "farthest ratio")
    return write_table(head, rows)


def _choices(names: Iterable[str], items: Iterable[Best], unit: str) -> str:
    rows = [
        [
            *(f"{value:g}" for value in item.where),
            f"{item.predicted:g}{unit}",
            f"{item.measured:g}{unit}",
            f"{100 * item.lost:.1f} %",
        ]
        for item in items
    ]
    return write_table((*names, "predicted", "measured", "rate lost by the predicted one"), rows)


def tasks() -> str:
    """The least tasks that give nine tenths of the highest rate."""
    return _choices(("p", "delay, ms", "flush age, ms"), comparison.enough_tasks(), "")


def ages() -> str:
    """The best flush age."""
    return _choices(("p", "delay, ms", "tasks"), comparison.best_age(), " ms")


def chance() -> str:
    """Choices that were predicted, beside shuffled ones."""
    return write_table(("choice", *HEAD), [item.row() for item in comparison.agreements()])


SECTIONS: Final[written_sections.Sections] = {
    "rates": rates,
    "tasks": tasks,
    "ages": ages,
    "chance": chance,
}


if __name__ == "__main__":
    sys.exit(written_sections.main(HERE, SECTIONS))
