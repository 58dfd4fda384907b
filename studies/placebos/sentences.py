"""Numbers in the prose of the README."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from prose import Sentence

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import findings  # noqa: E402 -- what studies share lies beside them
import sham  # noqa: E402
from findings import BLOCKS, PUBLISHED, of_order  # noqa: E402
from sham import RUNS, Order  # noqa: E402

GIVEN: Final = (
    r"240 runs|each 30\)|steps of 10 ms|Zen 5|all 28 pairs|Sham arms of 30|none of 30|32 to 512",
    r"the\s+promised 5 %|fewer than 5 %|at most 5 %",
    r"\"Up to 6 %\"",
)
"""Settings, and what papers say."""


def percent(value: float) -> float:
    """In percent."""
    return 100 * value


def sentences() -> Iterator[Sentence]:
    """Each piece of text with its numbers."""
    published = of_order("families", PUBLISHED)
    pairs = findings.share_of_pairs(published).value
    families = findings.share_of_families(published).value
    yield "in the published order {} % of sham pairs differ", percent(pairs)
    yield "after Holm {} % of programs have such a pair", percent(families)
    yield "promised 5 % is {} run: randomised blocks", findings.least_turn()
    series = sham.read_series()
    times = [sum(values) / len(values) for values in series.values()]
    yield "{} programs: ten of Debian's packages", len(series)
    yield "They take {} ms to {} s", 1000 * min(times), max(times)
    few = findings.share_of_families(of_order("families", BLOCKS))
    yield "{} programs cannot show", len(series)
    yield "still leaves {} %", percent(few.high)
    yield "and {} % of them do", percent(findings.by_gap()[0][0])
    longer, fewer = (
        findings.share_of_pairs(of_order("families", order)).value
        for order in (Order(RUNS // 5, length=5), Order(RUNS, used=RUNS // 5))
    )
    yield "differ in {} % of pairs, and six short ones in {} %", percent(longer), percent(fewer)
    yield "in blocks it is still {} %", percent(findings.middle(BLOCKS, "span"))
    best, again = (percent(findings.middle(PUBLISHED, key)) for key in ("best", "again"))
    yield "The best of eight gains {} % on what it is equal to, and {} % when", best, again
    grown = {
        key: [
            percent(findings.share_that(order, lambda row, key=key: row[key] != "O(1)"))
            for order in (PUBLISHED, BLOCKS)
        ]
        for key in ("growth", "posterior")
    }
    yield "finds growth in {} % of series that have none, in blocks in {} %", *grown["growth"]
    yield "The posterior finds {} %, and {} % in blocks", *grown["posterior"]
