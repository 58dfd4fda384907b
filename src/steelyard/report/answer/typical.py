"""Gain of a typical run: a line where it is alone or differs from the speedup, a table on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from steelyard.answers.undefined import Undefined
from steelyard.report.answer.words import Names, comparative
from steelyard.report.text.cells import interval_cell, left_out, name_cell, p_cell, ratio_cell
from steelyard.report.text.digits import bounds, percent, ratio
from steelyard.report.text.line import Line, Span, paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

if TYPE_CHECKING:
    from steelyard.answers.analysis import Answer
    from steelyard.answers.comparison import BetterMethod, Comparison, Typical
    from steelyard.answers.interval import Interval

MOST_LINES: Final = 4

_OF: Final[dict[BetterMethod, str]] = {
    "share-of-blocks": "blocks",
    "share-of-contexts": "contexts",
    "share-of-pairs": "pairs of runs",
}


def brief(answer: Answer, called: Names, width: int) -> list[Line]:
    """One line for a single comparison; of several, those whose speedup lies outside."""
    refused = set() if answer.declared.failures == "ignore" else {"failures_unequal", "timed_out"}
    pairs = [each for each in _known(answer) if refused.isdisjoint(each[0].flags) and not each[0].refused]
    several = len(pairs) > 1
    shown = [each for each in pairs if not several or _elsewhere(*each)]
    said = [_sentence(c, found, f" of {called[c.treatment.label]}" * several) for c, found in shown]
    if several and len(said) > MOST_LINES:
        said = [*said[: MOST_LINES - 1], f"… and {len(said) - MOST_LINES + 1} more; --details has all."]
    return [line for text in said for line in paragraph(text, width, rest="  ")]


def details(answer: Answer, width: int) -> list[Line]:
    """A row for each comparison."""
    pairs = _known(answer)
    if not pairs:
        return []
    shown = pairs[:MOST_ROWS]
    found = [typical for _, typical in shown]
    better = comparative(answer.metric, better=True)
    of = ", ".join(dict.fromkeys(_OF[each.better.method] for each in found))
    permuted = any(each.better.p is not None for each in found)
    columns = [
        Column("typical run", [name_cell(c.treatment.label) for c, _ in shown], right=False, is_name=True),
        Column("against", [name_cell(c.baseline.label) for c, _ in shown], right=False, is_name=True),
        Column("×", [ratio_cell(each.value, each.ci95) for each in found]),
        Column("95 % CI", [interval_cell(each.value, each.ci95) for each in found], right=False, give_way=2),
        Column("p", [p_cell(each.p) for each in found], give_way=4),
        *([Column("p BM", [p_cell(each.better.p) for each in found], give_way=6)] if permuted else []),
        Column(better, [_share(each.better.value) for each in found]),
        Column("95 % CI", [_shares(each.better.ci95) for each in found], right=False, give_way=3),
        Column("d", [_standardised(each) for each in found], give_way=1),
        Column("95 % CI", [_standardised_bounds(each) for each in found], right=False, give_way=5),
    ]
    more = left_out(len(pairs) - len(shown))
    note = (
        f"×: Hodges and Lehmann's ratio; p: of the rank test that it belongs to, adjusted over no family; "
        f"{better}: fraction of {of}; d: mean log-ratio in standard deviations."
    )
    return [*table(columns, width), *more, *paragraph(note, width, rest="  ", style="dim")]


def _known(answer: Answer) -> list[tuple[Comparison, Typical]]:
    return [(c, found) for c in answer.judged if (found := c.typical) is not None]


def _elsewhere(comparison: Comparison, found: Typical) -> bool:
    """Whether the speedup lies outside the interval of the typical run."""
    speedup = comparison.speedup
    if isinstance(speedup, Undefined) or found.ci95 is None:
        return False
    return found.ci95.excludes(speedup.value)


def _sentence(comparison: Comparison, found: Typical, whose: str) -> str:
    interval = f"95 % CI {bounds(found.value, found.ci95)}, " if found.ci95 else ""
    better = comparative(comparison.metric, better=True)
    where = f"{better} in {percent(found.better.value)} of {_OF[found.better.method]}"
    return f"Typical run{whose}: {ratio(found.value, found.ci95)} ×  ({interval}{where})"


def _share(value: float) -> Span:
    return Span(f"{100 * value:.0f} %")


def _shares(interval: Interval) -> Span:
    return Span(f"{100 * interval.low:.0f} to {100 * interval.high:.0f} %")


def _standardised(found: Typical) -> Span:
    return Span(_two_places(found.standardised.value) if found.standardised else "–")


def _standardised_bounds(found: Typical) -> Span:
    if found.standardised is None:
        return Span("–")
    interval = found.standardised.interval()
    return Span(f"{_two_places(interval.low)} to {_two_places(interval.high)}")


def _two_places(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"  # adding 0 takes the sign from -0.00
