"""A gate as text: one line, a table of what changed, and what it rests on."""

from __future__ import annotations

from typing import Final

from steelyard.answers.gate import ORDER, Gate, GatedBenchmark, Qualification, Verdict
from steelyard.report.gate.words import (
    SIGNS,
    headline,
    interval_words,
    notes,
    outlook,
    qualification_words,
    sign_percent,
    unqualified,
    value,
)
from steelyard.report.text.digits import percent
from steelyard.report.text.label import printable
from steelyard.report.text.line import Line, Span, Style, paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

STYLES: Final[dict[Verdict, Style]] = {
    "slower": "bad",
    "gone": "bad",
    "open": "open",
    "faster": "good",
    "new": "",
    "equivalent": "good",
}


def lines(found: Gate, width: int = 80) -> list[Line]:
    """The answer; benchmarks that are equivalent are in no table, unless they are few."""
    worst = found.worst
    out = paragraph(
        f"{SIGNS[worst]} {headline(found)}", width, style=STYLES[worst], rest="  ", only_first=True
    )
    rows = [each for verdict in ORDER for each in found.of(verdict)]
    shown = [each for each in rows if each.verdict != "equivalent"][:MOST_ROWS]
    if len(rows) <= MOST_ROWS:
        shown = rows
    out += [(), *_table(found, shown, width), ()]
    if len(rows) > len(shown):
        rest = len(rows) - len(shown)
        out += [*paragraph(f"… and {rest} more; --json has all.", width, style="dim"), ()]
    for text in (outlook(found), *notes(found), None if found.qualification else unqualified(found)):
        if text:
            out += paragraph(text, width, first="- ", rest="  ")
    return out


def _table(found: Gate, shown: list[GatedBenchmark], width: int) -> list[Line]:
    styles = [STYLES[each.verdict] for each in shown]
    signs = [Span(SIGNS[each.verdict], style) for each, style in zip(shown, styles, strict=True)]
    changes = [Span("" if each.change is None else f"{sign_percent(each.change)} %") for each in shown]
    bounds = [Span("" if each.ci95 is None else interval_words(each.ci95)) for each in shown]
    verdicts = [Span(_verdict(found, each), style) for each, style in zip(shown, styles, strict=True)]
    columns = [
        Column("", signs, right=False),
        Column("benchmark", [Span(printable(each.name)) for each in shown], right=False, is_name=True),
        Column("base", [Span(value(found, each.base)) for each in shown], give_way=2),
        Column("head", [Span(value(found, each.head)) for each in shown], give_way=3),
        Column("change", changes),
        Column("95 % CI", bounds, give_way=1),
        Column("", verdicts, right=False),
    ]
    return table(columns, width)


def _verdict(found: Gate, each: GatedBenchmark) -> str:
    return f"within {percent(found.margin)}" if each.verdict == "equivalent" else each.verdict


def qualification_lines(found: Qualification, width: int = 80) -> list[Line]:
    """What a qualification found, and the margin for which it stands."""
    sign, style = ("✓", "good") if not found.alarms else ("?", "open")
    text = f"{sign} {found.harness} at a margin of {percent(found.margin)}, {found.sessions} sessions."
    return [
        *paragraph(text, width, style=STYLES["equivalent"] if style == "good" else STYLES["open"]),
        *paragraph(qualification_words(found), width),
    ]
