"""A gate as text: one line, a table of what changed, and what it rests on."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.gate.results import ORDER, Gate, GatedBenchmark, Qualification, Verdict
from steelyard.extensions.gate.words import (
    SIGNS,
    describe_qualification,
    explain_outlook,
    explain_qualifying,
    format_difference,
    format_function,
    format_percent,
    format_value,
    list_notes,
    name_verdict,
    sign_answer,
    write_headline,
)
from steelyard.report.text.digits import percent, percent_bounds
from steelyard.report.text.label import printable
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

STYLES: Final[dict[Verdict, Style]] = {
    "slower": "bad",
    "gone": "bad",
    "open": "open",
    "faster": "good",
    "new": "",
    "equivalent": "good",
    "reported": "",
    "waived": "open",
    "identical": "good",
}


def list_lines(answer: Gate, width: int = 80, *, strict: bool = False) -> list[Line]:
    """Return the answer; benchmarks that are equivalent are in no table, unless they are few."""
    worst = answer.worst
    out = render_paragraph(
        f"{sign_answer(answer)} {write_headline(answer, strict=strict)}",
        width,
        style=STYLES["slower" if worst in answer.failing else worst],
        rest="  ",
        only_first=True,
    )
    rows = [entry for verdict in ORDER for entry in answer.select(verdict)]
    visible = [entry for entry in rows if entry.verdict not in ("equivalent", "identical", "reported")][
        :MOST_ROWS
    ]
    if len(rows) <= MOST_ROWS:
        visible = rows
    out += [(), *_make_table(answer, visible, width), ()]
    if len(rows) > len(visible):
        rest = len(rows) - len(visible)
        out += [*render_paragraph(f"… and {rest} more; --json has all.", width, style="dim"), ()]
    for entry in answer.benchmarks:
        out += _list_reason(entry, width)
    for text in (
        explain_outlook(answer),
        *list_notes(answer),
        None if answer.qualification or not answer.has_times else explain_qualifying(),
    ):
        if text:
            out += render_paragraph(text, width, first="- ", rest="  ")
    return out


def _list_reason(entry: GatedBenchmark, width: int) -> list[Line]:
    """Return the functions that make a benchmark slower, and what sampling did."""
    if entry.reason is None:
        return []
    name = printable(entry.name)
    if not entry.reason.functions:
        return [*render_paragraph(f"{name}: {entry.reason.text}", width, rest="  "), ()]
    out = render_paragraph(f"{name} is slower by", width, style="heading", rest="  ")
    for function in entry.reason.functions:
        text = printable(format_function(function))
        out += render_paragraph(
            text, width, first="  ", rest="      ", style="bad" if function.value > 0 else "good"
        )
    for text in entry.reason.validations:
        out += render_paragraph(printable(text), width, rest="  ")
    return [*out, *render_paragraph(entry.reason.text, width, rest="  ", style="dim"), ()]


def _make_table(answer: Gate, visible: list[GatedBenchmark], width: int) -> list[Line]:
    styles = [STYLES[entry.verdict] for entry in visible]
    signs = [Span(SIGNS[entry.verdict], style) for entry, style in zip(visible, styles, strict=True)]
    changes = [Span(format_change(entry)) for entry in visible]
    bounds = [Span(format_bounds(entry)) for entry in visible]
    verdicts = [
        Span(describe_verdict(answer, entry), style) for entry, style in zip(visible, styles, strict=True)
    ]
    columns = [
        Column("", signs, right=False),
        Column.words("benchmark", (printable(entry.name) for entry in visible), is_name=True),
        *([Column.words("metric", (entry.metric for entry in visible))] if len(answer.metrics) > 1 else []),
        Column.numbers("base", (format_value(answer, entry, entry.base) for entry in visible), give_way=2),
        Column.numbers("head", (format_value(answer, entry, entry.head) for entry in visible), give_way=3),
        Column("change", changes),
        Column("95 % CI", bounds, give_way=1),
        Column("", verdicts, right=False),
    ]
    return table(columns, width)


def format_change(entry: GatedBenchmark) -> str:
    """Return the change: of a count that repeats the difference itself, else in percent."""
    if entry.is_exact:
        return format_difference(entry)
    return "" if entry.change is None else f"{format_percent(entry.change)} %"


def format_bounds(entry: GatedBenchmark) -> str:
    """Return its interval in percent; "exact" of a count that repeats."""
    if entry.is_exact:
        return "exact"
    return "" if entry.ci95 is None else percent_bounds(entry.ci95, 1, entry.margin)


def describe_verdict(answer: Gate, entry: GatedBenchmark) -> str:
    """Return a verdict in words, with the margin, or with what decided it."""
    word = name_verdict(answer, entry)
    return f"{word}, typical run" if entry.decided_by == "typical" else word


def list_qualification(answer: Qualification, width: int = 80) -> list[Line]:
    """Return what a qualification found, and the margin for which it stands."""
    sign, style = ("✓", "good") if not answer.alarms else ("?", "open")
    text = f"{sign} {answer.harness} at a margin of {percent(answer.margin)}, {answer.sessions} sessions."
    return [
        *render_paragraph(text, width, style=STYLES["equivalent"] if style == "good" else STYLES["open"]),
        *render_paragraph(describe_qualification(answer), width),
    ]
