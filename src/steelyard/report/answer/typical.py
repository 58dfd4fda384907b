"""Gain of a typical run, as a table on demand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from steelyard.report.answer.words import format_comparative
from steelyard.report.text.cells import (
    name_cell,
    note_omitted,
    render_interval_cell,
    render_p_cell,
    render_ratio_cell,
)
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

if TYPE_CHECKING:
    from steelyard.results.analysis import Answer
    from steelyard.results.comparison import BetterMethod, Comparison, Typical
    from steelyard.results.interval import Interval

_OF: Final[dict[BetterMethod, str]] = {
    "share-of-blocks": "blocks",
    "share-of-contexts": "contexts",
    "share-of-pairs": "pairs of runs",
}


def details(answer: Answer, width: int) -> list[Line]:
    """Return a row for each comparison."""
    pairs = _list_estimated(answer)
    if not pairs:
        return []
    listed = pairs[:MOST_ROWS]
    typicals = [typical for _, typical in listed]
    better = format_comparative(answer.metric, better=True)
    text = ", ".join(dict.fromkeys(_OF[typical.better.method] for typical in typicals))
    permuted = any(typical.better.p is not None for typical in typicals)
    columns = [
        Column("typical run", [name_cell(c.treatment.label) for c, _ in listed], right=False, is_name=True),
        Column("against", [name_cell(c.baseline.label) for c, _ in listed], right=False, is_name=True),
        Column("×", [render_ratio_cell(typical.value, typical.ci95) for typical in typicals]),
        Column(
            "95 % CI",
            [render_interval_cell(typical.value, typical.ci95) for typical in typicals],
            right=False,
            give_way=2,
        ),
        Column("p", [render_p_cell(typical.p) for typical in typicals], give_way=4),
        *(
            [Column("p BM", [render_p_cell(typical.better.p) for typical in typicals], give_way=6)]
            if permuted
            else []
        ),
        Column(better, [_render_share(typical.better.value) for typical in typicals]),
        Column(
            "95 % CI", [_render_shares(typical.better.ci95) for typical in typicals], right=False, give_way=3
        ),
        Column("d", [_standardise(typical) for typical in typicals], give_way=1),
        Column(
            "95 % CI", [_format_standardised_bounds(typical) for typical in typicals], right=False, give_way=5
        ),
    ]
    lines = note_omitted(len(pairs) - len(listed))
    note = (
        f"×: Hodges and Lehmann's ratio; p: of the rank test that it belongs to, adjusted over no family; "
        f"{better}: fraction of {text}; d: mean log-ratio in standard deviations."
    )
    typical = [*table(columns, width), *lines, *render_paragraph(note, width, rest="  ", style="dim")]
    return [*typical, (), *_render_quantiles([c for c, _ in listed], width)]


def _render_quantiles(comparisons: Sequence[Comparison], width: int) -> list[Line]:
    """Return the speedup at quantiles of the runs, from the fastest tenth to the slowest hundredth."""
    rows = [(c, quantile) for c in comparisons for quantile in c.quantiles]
    if not rows:
        return []
    columns = [
        Column.words("runs", (f"p{100 * speedup.quantile:g}" for _, speedup in rows)),
        Column("treatment", [name_cell(c.treatment.label) for c, _ in rows], right=False, is_name=True),
        Column("against", [name_cell(c.baseline.label) for c, _ in rows], right=False, is_name=True),
        Column("×", [render_ratio_cell(typical.value, typical.ci95) for _, typical in rows]),
        Column(
            "95 % CI", [render_interval_cell(speedup.value, speedup.ci95) for _, speedup in rows], right=False
        ),
    ]
    return table(columns, width)


def _list_estimated(answer: Answer) -> list[tuple[Comparison, Typical]]:
    return [(c, typical) for c in answer.judged if (typical := c.typical) is not None]


def _render_share(value: float) -> Span:
    return Span(f"{100 * value:.0f} %")


def _render_shares(interval: Interval) -> Span:
    return Span(f"{100 * interval.low:.0f} to {100 * interval.high:.0f} %")


def _standardise(typical: Typical) -> Span:
    return Span(_format_two_places(typical.standardised.value) if typical.standardised else "–")


def _format_standardised_bounds(typical: Typical) -> Span:
    if typical.standardised is None:
        return Span("–")
    interval = typical.standardised.interval()
    return Span(f"{_format_two_places(interval.low)} to {_format_two_places(interval.high)}")


def _format_two_places(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"  # adding 0 takes the sign from -0.00
