"""Differences that a plan could show, as a table of spreads."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.plan.results import Outlook
from steelyard.report.text.digits import percent
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import Column, table
from steelyard.results.unit import Unit

_OF: Final[dict[Unit, str]] = {
    "block": "s is the spread of a ratio from block to block",
    "context": "s is the spread of a ratio from context to context",
    "instance": "s is the spread of a ratio from one problem instance to another",
    "run": "s is the spread of a command from run to run",
}

_NOTHING: Final = 10.0
"""A difference above 1,000 % is nothing that one looks for."""


def lines(outlook: Outlook, width: int) -> list[Line]:
    """Which differences so many units show, and how many units differences need."""
    rows = outlook.rows
    columns = [Column.numbers("s", (percent(row.s) for row in rows))]
    if any(row.pilot for row in rows):
        spans = [Span(printable(row.pilot or "")) for row in rows]
        columns.append(Column("in the record", spans, right=False, is_name=True))
    columns.append(
        Column.numbers(
            f"{plural(outlook.units, outlook.unit)} {'shows' if outlook.units == 1 else 'show'}",
            ("–" if row.shows is None or row.shows > _NOTHING else percent(row.shows) for row in rows),
        )
    )
    for place, difference in enumerate(outlook.differences):
        needed = [_render_number(row.needed[place]) for row in rows]
        columns.append(Column(f"{percent(difference)} needs", needed, give_way=3 - place if place else 0))
    if outlook.target is not None:
        precise = [_render_number(row.precise) for row in rows]
        columns.append(Column(f"to {percent(outlook.target)}", precise, give_way=1))
    if outlook.margin is not None:
        within = [_render_number(row.equivalent) for row in rows]
        columns.append(Column(f"equal within {percent(outlook.margin)}", within, give_way=1))
    return [
        (Span("What it could show", "heading"),),
        *render_paragraph(_format_caption(outlook), width),
        *table(columns, width),
    ]


def _format_caption(outlook: Outlook) -> str:
    level = f"at {percent(outlook.level)}"
    if outlook.comparisons > 1:
        level += f" (the first of {outlook.comparisons} comparisons, Holm)"
    if outlook.decided:
        level += " over all looks"
    needs = "runs of each command" if outlook.unit == "run" else f"{outlook.unit}s"
    if outlook.decided:
        needs += f", at the look by which 80 % are decided; of them {outlook.units} are the first"
    parts = [_OF[outlook.unit], f"differences that show with 80 % power {level}", f"needs: {needs}"]
    if outlook.target is not None:
        parts.append(f"to {percent(outlook.target)}: until intervals that precise end the run")
    if outlook.margin is not None:
        parts.append("equal: with 90 % power, if nothing differs")
    if outlook.fewest is not None:
        units = plural(outlook.units, outlook.unit)
        parts.append(f"{units} show no difference, however large: only {outlook.fewest} and more can")
    return "; ".join(parts)


def _render_number(units: int | None) -> Span:
    return Span("–" if units is None else f"{units:,}")
