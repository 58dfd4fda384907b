#!/usr/bin/env python3
"""Sections of the README that are written from data: ``sections.py [--check]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import findings  # noqa: E402 -- what studies share lies beside them
import written_sections  # noqa: E402
from readme_tables import write_table  # noqa: E402
from sham import RUNS, Order  # noqa: E402

TURNS: Final = (15, 10, 6, 5, 3, 2, 1)
LENGTHS: Final = (2, 3, 5)
HEAD: Final = (
    "pairs that differ (95 %)",
    "at most 5 %",
    "after Holm",
    "programs with any, after Holm",
    "at most 5 %",
)


def percent(value: float, digits: int = 0) -> str:
    """In percent."""
    return f"{100 * value:.{digits}f} %"


def say(share: findings.Share) -> tuple[str, str]:
    """A share with its interval, and its verdict."""
    return f"{percent(share.value, 1)} [{100 * share.low:.1f}, {100 * share.high:.1f}]", share.verdict


def shares(order: Order) -> list[str]:
    """Cells of an order."""
    chosen = findings.of_order("families", order)
    after = percent(findings.share_of_pairs(chosen, "after").value, 1)
    return [*say(findings.share_of_pairs(chosen)), after, *say(findings.share_of_families(chosen))]


def orders() -> str:
    """By turn, in a fixed order and drawn anew each round."""
    return write_table(
        ("runs of an arm in a row", "order of arms", *HEAD),
        [
            [f"{RUNS}, as published", "fixed", *shares(findings.PUBLISHED)],
            *([str(turn), "fixed", *shares(Order(turn))] for turn in TURNS),
            *([str(turn), "drawn", *shares(Order(turn, drawn=True))] for turn in TURNS),
        ],
    )


def gaps() -> str:
    """By runs between two arms."""
    rows = [[str(gap), *(percent(share) for share in pair)] for gap, pair in findings.by_gap().items()]
    return write_table(("runs between", "pairs that differ", "after Holm"), rows)


def _of_lengths() -> Iterator[list[str]]:
    yield ["1", str(RUNS), *shares(findings.PUBLISHED)]
    for length in LENGTHS:
        number = RUNS // length
        yield [str(length), str(number), *shares(Order(number, length=length))]
        yield [f"1, the first {number} of each row", str(number), *shares(Order(RUNS, used=number))]


def lengths() -> str:
    """By length of a run, beside as many short ones."""
    return write_table(("length of a run", "values of an arm", *HEAD), list(_of_lengths()))


def rules() -> str:
    """What rules of four papers say of arms that are one thing."""
    every = {
        "rows of 30, as published": findings.PUBLISHED,
        "in turns of 3, drawn": Order(3, drawn=True),
        "in turns of 1, drawn": findings.BLOCKS,
    }
    rows = [
        [
            "contexts: largest mean over smallest, in the middle",
            *(percent(findings.middle(o, "span"), 1) for o in every.values()),
        ],
        [
            "… by 1 % or more",
            *(
                percent(findings.share_that(o, lambda row: float(row["span"]) >= 0.01))
                for o in every.values()
            ),
        ],
        [
            "five runs against five: 1 % or more apart",
            *(
                percent(findings.share_that(o, lambda row: float(row["faster"]) >= 0.01))
                for o in every.values()
            ),
        ],
        [
            "best of eight over the mean, by the runs that chose it",
            *(percent(findings.middle(o, "best"), 1) for o in every.values()),
        ],
        [
            "… by the other half of its runs",
            *(percent(findings.middle(o, "again"), 1) for o in every.values()),
        ],
        [
            "growth over five sizes, least squares",
            *(percent(findings.share_that(o, lambda row: row["growth"] != "O(1)")) for o in every.values()),
        ],
        [
            "growth over five sizes, posterior",
            *(
                percent(findings.share_that(o, lambda row: row["posterior"] != "O(1)"))
                for o in every.values()
            ),
        ],
    ]
    return write_table(("rule", *every), rows)


SECTIONS: Final[written_sections.Sections] = {
    "orders": orders,
    "gaps": gaps,
    "lengths": lengths,
    "rules": rules,
}

if __name__ == "__main__":
    sys.exit(written_sections.main(HERE, SECTIONS))
