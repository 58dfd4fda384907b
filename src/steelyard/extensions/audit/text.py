"""An audit as text: the finding, the table, a picture of each kind of context that matters, advice."""

from __future__ import annotations

import math
from typing import Final

from steelyard.core.units import format_quantity
from steelyard.extensions.audit.counts_text import describe_counts
from steelyard.extensions.audit.results import AS_STARTED, Audit, AuditedContext, Verdict
from steelyard.extensions.audit.words import (
    effect,
    format_advice,
    format_level,
    headline,
    name_elapsed_kinds,
    name_missed_levels,
    open_ended,
)
from steelyard.report.answer.sentences import format_notice
from steelyard.report.text.digits import percent, probability
from steelyard.report.text.label import plural, printable, shorten
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.report.text.table import Column, table

_VERDICTS: Final[dict[Verdict, tuple[str, Style]]] = {
    "moves": ("moves it", "bad"),
    "within": ("within {least}", "good"),
    "not_resolved": ("not resolved", "open"),
}


_LONGEST: Final = 28
"""Columns of the names of levels."""


def lines(audit: Audit, width: int = 80) -> list[Line]:
    """Everything, in at most ``width`` columns."""
    moves = any(finding.verdict == "moves" for finding in audit.findings)
    output = _wrap(headline(audit), width, "bad" if moves else "good")
    output += [(), *_wrap(_format_caption(audit), width, "dim"), *_render_table(audit, width)]
    for caution in filter(None, (_format_within(audit), name_elapsed_kinds(audit))):
        output += _wrap(caution, width, "dim")
    for finding in audit.findings:
        if finding.verdict == "moves" and len(finding.screened) > 1 and _is_number(finding):
            output += [(), *picture(finding, width)]
    counts = [] if audit.counted is None else describe_counts(audit.counted)
    output += [
        *_render_section("Counts", [f"{text}." for text in counts], width),
        *_render_section("Warnings", [format_notice(warning, {}) for warning in audit.warnings], width),
    ]
    texts = [*(format_advice(context, audit) for context in audit.findings), open_ended(audit)]
    output += _render_section("What to do", [text for text in texts if text], width)
    unseen = [text for context in audit.findings if (text := name_missed_levels(context, audit))]
    if unseen and not audit.counted and not audit.thorough:
        unseen[-1] += "; --thorough visits every byte of a page"
    unseen += [f"{name}: {why}" for name, why in audit.left_out.items()]
    if audit.not_varied:
        unseen.append(f"Only where --only names them: {', '.join(audit.not_varied)}")
    unseen.append(
        'Link order and the layout of the code itself: a command is built already (code = "random" in the'
        " [contexts] of a spec draws them)"
    )
    unseen.append(
        "In no audit: standard input, the contents of files, limits other than that of the stack, other"
        " machines"
    )
    return output + _render_section("Not visited", [f"{text}." for text in unseen], width)


def _format_caption(audit: Audit) -> str:
    quantity = {"cpu_s": "CPU time", "wall_s": "elapsed time"}.get(audit.metric, audit.metric)
    screening = (
        f"{plural(audit.passes, 'pass').replace('passs', 'passes')} of screening, " if audit.passes else ""
    )
    return (
        f"{shorten(printable(audit.command), 40)}: {quantity}, typically"
        f" {format_quantity(audit.typical, audit.unit)}; {plural(audit.runs, 'run')}, {screening}"
        f"{plural(audit.blocks, 'block')} of replication, seed {audit.seed}; intervals and verdicts"
        f" together at {percent(1 - audit.alpha)} on this machine, least effect {percent(audit.least)}"
    )


def _render_table(audit: Audit, width: int) -> list[Line]:
    findings = audit.findings
    verdicts = [_get_verdict(finding, audit.least) for finding in findings]
    return table(
        [
            Column.words("context", (finding.context for finding in findings)),
            Column.numbers("levels", (_format_levels(finding) for finding in findings), give_way=2),
            Column(
                "verdict",
                [Span(text, style) for text, style in verdicts],
                right=False,
            ),
            Column.words("largest effect, replicated", (effect(finding.extreme) for finding in findings)),
            Column.words(
                "where",
                (format_level(finding, finding.extreme.level).removeprefix("at ") for finding in findings),
                give_way=1,
            ),
            Column.numbers(
                "p Holm", (probability(finding.extreme.p_holm) for finding in findings), give_way=3
            ),
        ],
        width,
    )


def _get_verdict(finding: AuditedContext, least: float) -> tuple[str, Style]:
    """Return the verdict in words; a rare level that was not visited may differ from all "within"."""
    words, style = _VERDICTS[finding.verdict]
    text = words.format(least=percent(least))
    if finding.verdict == "within" and finding.unseen:
        text += f" at {percent(1 - finding.unseen)} of levels"
    return text, style


def _format_within(audit: Audit) -> str | None:
    """Return the levels of which "within" speaks; others, as one's own, may differ from all of them."""
    among = [f for f in audit.findings if f.verdict == "within" and f.context != AS_STARTED]
    if not among:
        return None
    named = "; ".join(f"{finding.context} {_format_visits(finding)}" for finding in among)
    return f"Within {percent(audit.least)} at the levels that were visited: {named}."


def _format_visits(finding: AuditedContext) -> str:
    """``system, never``; of numbers, ``512 to 1,520``."""
    if _is_number(finding) and finding.screened:
        levels = [float(level.level) for level in finding.screened]
        return f"{min(levels):,.0f} to {max(levels):,.0f}"
    names = dict.fromkeys((*finding.typical, *(level.level for level in finding.replicated)))
    return shorten(", ".join(printable(str(level)) for level in names), _LONGEST)


def _format_levels(finding: AuditedContext) -> str:
    if not finding.screened:
        return f"{finding.population}"
    return f"{len(finding.screened)} of {finding.population}"


def _is_number(finding: AuditedContext) -> bool:
    return all(isinstance(screening.level, int | float) for screening in finding.screened)


def _render_section(title: str, texts: list[str], width: int) -> list[Line]:
    if not texts:
        return []
    section: list[Line] = [(), (Span(title, "heading"),)]
    for text in texts:
        section += render_paragraph(text, width, first="- ", rest="  ")
    return section


def _wrap(text: str, width: int, style: Style) -> list[Line]:
    return render_paragraph(text, width, rest="  ", style=style)


_ROWS: Final = 9
_LABEL: Final = 9
"""Columns at the left: ``7.29 × |``."""


def picture(finding: AuditedContext, width: int = 80) -> list[Line]:
    """One mark a level, ``#`` where several share a place; the ratio on a logarithmic scale."""
    levels = [float(screening.level) for screening in finding.screened]
    logs = [math.log(screening.ratio) for screening in finding.screened]
    columns = min(width - _LABEL - 1, 64)
    low, high = min(levels), max(levels)
    step = (high - low) / max(1, len(levels) - 1)
    top, bottom = max(logs), min(logs)
    rows = _ROWS if top - bottom > math.log(1.005) else 1
    marks: dict[tuple[int, int], int] = {}
    for level, log in zip(levels, logs, strict=True):
        column = int((level - low) / (high - low + step) * columns) if high > low else 0
        row = round((top - log) / (top - bottom) * (rows - 1)) if rows > 1 else 0
        marks[row, column] = marks.get((row, column), 0) + 1
    lines: list[Line] = []
    for row in range(rows):
        value = math.exp(top - (top - bottom) * row / (rows - 1)) if rows > 1 else 1.0
        drawn = "".join(" .#"[min(2, marks.get((row, column), 0))] for column in range(columns))
        lines.append((Span(f"{value:6.2f} ×|", "dim"), Span(drawn)))
    ends = f"{low:g}", f"{finding.context} {high:g}"
    lines.append((Span(" " * (_LABEL - 1) + "+" + "-" * columns, "dim"),))
    lines.append((Span(" " * _LABEL + ends[0] + ends[1].rjust(columns - len(ends[0])), "dim"),))
    return lines
