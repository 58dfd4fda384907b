"""A history as text: what changed and where, each series in a line, and what was left out."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.history.results import Change, History, SeriesHistory
from steelyard.extensions.history.words import (
    change_words,
    format_bisection,
    format_confirmation_words,
    format_level_words,
    format_series_name,
    format_stable,
    format_wander_words,
    head,
    locate,
    notes,
)
from steelyard.report.text.cells import name_cell, note_omitted
from steelyard.report.text.change import SIGNS
from steelyard.report.text.digits import percent
from steelyard.report.text.line import Line, render_paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

_INDENT: Final = "    "


def lines(history: History, width: int = 80) -> list[Line]:
    """Return changes first, the latest last; then every series, machines, and the records left out."""
    changed = history.changes
    out = [*render_paragraph(head(history), width, style="heading", rest="  "), ()]
    for series, change in changed[:MOST_ROWS]:
        out += _change(history, series, change, width)
    out += note_omitted(len(changed) - MOST_ROWS)
    for series in history.series:
        for wander in series.wanders:
            sentence = f"? {format_wander_words(series, wander)}"
            out += render_paragraph(sentence, width, style="open", rest=_INDENT, only_first=True)
    if not changed:
        out += render_paragraph(format_stable(history), width)
    out += [(), *_render_table(history, width)]
    if said_too := notes(history):
        out += [
            (),
            *(line for text in said_too for line in render_paragraph(text, width, first="- ", rest="  ")),
        ]
    return out


def _change(history: History, series: SeriesHistory, change: Change, width: int) -> list[Line]:
    sign, style = SIGNS[change.direction]
    text = f"{sign} {change_words(history, series, change)}"
    output = render_paragraph(text, width, style=style, rest=_INDENT, only_first=True)
    output += render_paragraph(locate(history, change), width, first=_INDENT, rest=_INDENT)
    if change.confirmation is not None:
        output += render_paragraph(
            format_confirmation_words(change.confirmation), width, first=_INDENT, rest=_INDENT
        )
    elif (command := format_bisection(history, change)) is not None:
        again = f"confirm it side by side: {command}"
        output += render_paragraph(again, width, first=_INDENT, rest=_INDENT, style="dim")
    return output


def _render_table(history: History, width: int) -> list[Line]:
    histories = history.series[:MOST_ROWS]
    return [
        *table(render_series_columns(history, histories), width),
        *note_omitted(len(history.series) - MOST_ROWS),
    ]


def render_series_columns(history: History, histories: tuple[SeriesHistory, ...]) -> list[Column]:
    """Return a row for each of these series."""
    columns = [
        Column.words("metric", (series.metric.name for series in histories), give_way=3),
        Column(
            "treatment",
            [name_cell(format_series_name(series)) for series in histories],
            right=False,
            is_name=True,
        ),
        Column.numbers("records", (f"{len(series.points):,}" for series in histories)),
        Column.numbers(
            "latest", (format_level_words(history, series, series.points[-1].median) for series in histories)
        ),
        Column.numbers(
            "noise", ("–" if series.noise is None else percent(series.noise) for series in histories)
        ),
        Column.numbers(
            "neighbours r",
            ("–" if series.correlation is None else f"{series.correlation:.2f}" for series in histories),
            give_way=2,
        ),
        Column.numbers(
            "changes",
            (str(len(series.changes)) if series.changes or series.is_judged else "–" for series in histories),
        ),
    ]
    if len(history.machines) > 1:
        columns.insert(
            2,
            Column.numbers("machine", (str(series.machine) for series in histories), give_way=1),
        )
    return columns
