"""What sentences of the paper say of its own tables, recomputed from these.

A sentence about a printed table is decided by that table; whether the table comes out here is a row of its
own. What our runs give stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Final

from declarations import Answer, Data, Judge

PRINTED: Final = "published.csv"
STATEMENTS: Final = "statements.csv"
"""Has the shares that Holm removes of each program's findings."""
PROGRAMS: Final = 10
PAIRS: Final = 28
"""Of eight sizes."""
ROUNDING: Final = 0.011
"""Two digits, some of which are cut, not rounded: 5 of 11 is 45.45 %, 6 of 11 is printed as 54.54."""

Cells = dict[tuple[str, str], int]


def cells(data: Data, table: str, opt: str = "") -> Cells:
    """Programs that differ, of ten, by pair of treatments."""
    return {
        (row["first"], row["second"]): round(float(row["percent"]) * PROGRAMS / 100)
        for row in data.table(PRINTED)
        if row["table"] == table and row["opt"] == opt
    }


def least(table: str, share: float, opts: Iterable[str] = ("",)) -> Judge:
    """Whether every cell of a table has such a share of programs, in percent."""

    def judge(data: Data) -> Answer:
        smallest = {opt: 100 * min(cells(data, table, opt).values()) / PROGRAMS for opt in opts}
        text = ", ".join(f"{value:.0f} %{f' at -{opt}' if opt else ''}" for opt, value in smallest.items())
        return Answer(f"at least {text}", "holds" if min(smallest.values()) >= share else "fails")

    return judge


def cell_is(table: str, pair: tuple[str, str], shares_of: Mapping[str, float]) -> Judge:
    """Whether a cell has these shares of programs, in percent, by optimisation."""

    def judge(data: Data) -> Answer:
        values = {opt: 100 * cells(data, table, opt)[pair] / PROGRAMS for opt in shares_of}
        text = ", ".join(f"{value:.0f} % at -{opt}" for opt, value in values.items())
        return Answer(text, "holds" if values == dict(shares_of) else "fails")

    return judge


def lowered(before: str, after: str, pairs: int, opt: str = "") -> Judge:
    """Whether so many cells of one table are lower in the next, which has Holm's correction."""

    def judge(data: Data) -> Answer:
        first, second = cells(data, before, opt), cells(data, after, opt)
        equal = [f"{a}–{b}" for (a, b), count in first.items() if second[a, b] >= count]
        lower = len(first) - len(equal)
        unchanged = f", all but {', '.join(equal)}" if 0 < len(equal) < 10 else ""
        return Answer(f"{lower} of {len(first)} cells{unchanged}", "holds" if lower == pairs else "fails")

    return judge


def one_in(before: str, after: str, share: float) -> Judge:
    """Whether Holm takes one finding away, which is such a share, in percent, of a program's."""

    def judge(data: Data) -> Answer:
        first, second = cells(data, before), cells(data, after)
        lost = sum(first.values()) - sum(second.values())
        of = [findings for findings in range(1, len(first) + 1) if _is_share(lost, findings, share)]
        text = f"{lost} finding of {sum(first.values())}; {share:g} % is 1 of {of[0] if of else 'no number'}"
        return Answer(text, "holds" if lost == 1 and of else "fails")

    return judge


def _is_share(part: int, whole: int, share: float) -> bool:
    """Whether a share of two digits, rounded or cut, is this one."""
    return math.isclose(100 * part / whole, share, abs_tol=ROUNDING)


def _findings(share: float) -> Iterator[tuple[int, int]]:
    """Numbers of findings of a program before and after Holm of which such a share is removed."""
    if share == 0:
        yield 0, 0
    for before in range(1, PAIRS + 1):
        yield from ((before, before - lost) for lost in range(before + 1) if _is_share(lost, before, share))


def shares(data: Data, opt: str) -> dict[str, float]:
    """What Holm removes of each program's findings, in percent, as printed."""
    rows = [row for row in data.table(STATEMENTS) if row["id"].startswith("false-")]
    return {
        row["id"].split("-")[1]: float(row["published"].removesuffix("%"))
        for row in rows
        if row["id"].endswith(opt)
    }


def totals(data: Data, opt: str) -> set[tuple[int, int]]:
    """Findings of all programs before and after Holm that these shares allow."""
    reached = {(0, 0)}
    for share in shares(data, opt).values():
        steps = [*_findings(share)]
        reached = {(a + b, c + d) for (a, c), (b, d) in product(reached, steps)}
    return reached


def adds_up(opt: str) -> Callable[[Data], Answer]:
    """Whether whole numbers of findings have these shares and add up to Tables 5 and 6."""

    def judge(data: Data) -> Answer:
        def make() -> Answer:
            before, after = (sum(cells(data, table, opt).values()) for table in ("5", "6"))
            allowed = [last for first, last in totals(data, opt) if first == before]
            ends = f"{min(allowed)} to {max(allowed)}" if allowed else "none"
            text = f"of {before} findings in Table 5 these shares leave {ends}, Table 6 has {after}"
            return Answer(text, "holds" if after in allowed else "fails")

        return data.remember(("adds up", opt), make)

    return judge
