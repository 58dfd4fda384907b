"""A history: the records of each series, its levels, the commits that may have changed them, the machines."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.history.chart import Group, SeriesChart
from steelyard.extensions.history.results import History, Kind, SeriesHistory
from steelyard.extensions.history.text import render_series_columns
from steelyard.extensions.history.words import (
    change_words,
    format_bisection,
    format_series_name,
    format_stable,
    format_wander_words,
    head,
    locate,
    notes,
    size,
)
from steelyard.report.answer.words import Finding
from steelyard.report.page.answer_page import AnswerPage
from steelyard.report.page.chart import Section
from steelyard.report.text.change import SIGNS, short_hash
from steelyard.report.text.digits import probability, share
from steelyard.report.text.label import join_names, plural, printable
from steelyard.report.text.line import Span
from steelyard.report.text.table import Column

MOST: Final = 24
"""Series with a chart, those that change first; the table has all."""
MOST_LEADING: Final = 20
"""Changes above everything else."""
MOST_POINTS: Final = 5000
"""Records of all charts together, so that the page stays small; of more, the latest."""


def lay_out(history: History) -> AnswerPage:
    """Return what changed and over which records, and the searches that confirm it."""
    findings, omitted = _write_headline(history)
    return AnswerPage(
        name=printable(history.experiment),
        findings=tuple(findings),
        state=head(history),
        sections=tuple(_list_sections(history)),
        treatments=tuple(dict.fromkeys(series.treatment for series in history.series)),
        omitted=omitted,
        ending="How to confirm it",
        advice="No history can tell a slow machine from a slow commit for certain; measuring both commits"
        " side by side can.",
        commands=_write_commands(history),
    )


def _write_headline(history: History) -> tuple[list[Finding], str]:
    """Return what changed, the latest first, and what wanders.

    Where nothing does, that is said; those that are too many get a sentence.
    """
    findings = [
        Finding(
            f"{SIGNS[change.direction][0]} {change_words(history, series, change)}",
            locate(history, change),
            SIGNS[change.direction][1],
        )
        for series, change in reversed(history.changes)
    ]
    findings += [
        Finding(f"? {format_wander_words(series, wander)}", "", "open")
        for series in history.series
        for wander in series.wanders
    ]
    text = (
        f"… and {len(findings) - MOST_LEADING} more, in the tables below."
        if len(findings) > MOST_LEADING
        else ""
    )
    return findings[:MOST_LEADING] or [Finding(format_stable(history), "", "")], text


def _write_commands(history: History) -> str:
    """Return what confirms each change side by side, a command a line; empty where none can."""
    return "\n".join(
        dict.fromkeys(
            command for _, change in history.changes if (command := format_bisection(history, change))
        )
    )


def _list_sections(history: History) -> list[Section]:
    """Return changes, series, and machines."""
    parts = [_draw_changes(history), _draw_series(history), _draw_machines(history)]
    if texts := notes(history):
        parts.append(Section("limits", "Limitations", notes=tuple(texts)))
    return [part for part in parts if part is not None]


def _draw_changes(history: History) -> Section | None:
    changed = history.changes
    if not changed:
        return None
    changes = [change for _, change in changed]
    columns = (
        Column.words("treatment", (format_series_name(series) for series, _ in changed)),
        Column.words("metric", (series.metric.name for series, _ in changed)),
        Column.words("of", (change.kind.replace("_", " ") for change in changes)),
        Column(
            "change",
            [Span(size(history, series, change), SIGNS[change.direction][1]) for series, change in changed],
            right=False,
        ),
        Column.words("from", (short_hash(change.first) for change in changes)),
        Column.numbers("p", (probability(change.p) for change in changes)),
        Column.words(
            "one of these commits made it",
            (join_names([short_hash(commit) for commit in change.commits]) for change in changes),
        ),
        Column.numbers("sure", (share(change.probability) for change in changes)),
        Column.words(
            "undone by", (short_hash(change.undone_by) if change.undone_by else "–" for change in changes)
        ),
    )
    treatments = tuple(series.treatment for series, _ in changed)
    return Section("changes", "Changes", tables=(("Changes", columns, treatments),))


def _draw_series(history: History) -> Section | None:
    if not history.series:
        return None
    groups: dict[tuple[str, str, str], list[SeriesHistory]] = {}
    for series in history.series:
        groups.setdefault((series.metric.name, series.treatment, format_series_name(series)), []).append(
            series
        )
    ordered = sorted((tuple(histories) for histories in groups.values()), key=_compute_urgency)
    drawn = [(group, kind) for group in ordered for kind in _get_kinds(group)][:MOST]
    most = max(2, MOST_POINTS // max(1, len(drawn)))
    charts = tuple(
        SeriesChart(history, group, kind, most).chart(f"history-{i}")
        for i, (group, kind) in enumerate(drawn, 1)
    )
    captions = []
    if len(groups) > len({id(group) for group, _ in drawn}):
        captions.append(f"The first {len(drawn)} charts, series that change first; the table has all.")
    if len(history.commits) > most:
        captions.append(f"Charts show the latest {most:,} of {len(history.commits):,} records.")
    every = (
        "Series",
        tuple(render_series_columns(history, history.series)),
        tuple(s.treatment for s in history.series),
    )
    return Section("series", "Every record", tuple(captions), charts, (every,))


def _compute_urgency(group: Group) -> tuple[int, int]:
    """Those that change first, then those that wander."""
    changes = sum(len(history.changes) for history in group)
    return -changes, -sum(bool(series.wanders) for series in group)


def _get_kinds(group: Group) -> list[Kind]:
    """Its level, and whatever else of it changes."""
    changed = {change.kind for history in group for change in history.changes}
    further: list[Kind] = [kind for kind in ("spread", "slow_runs") if kind in changed]
    return ["level", *further]


def _draw_machines(history: History) -> Section | None:
    if not history.machines:
        return None
    names = list(dict.fromkeys(name for machine in history.machines for name in machine))
    facts = (
        Column.numbers("machine", (str(i) for i, _ in enumerate(history.machines, 1))),
        *(
            Column.words(
                name.replace("_", " "),
                (printable(str(machine.get(name, "–"))) for machine in history.machines),
            )
            for name in names
        ),
    )
    tables: list[tuple[str, tuple[Column, ...], tuple[str, ...]]] = [("Machines", facts, ())]
    if history.breaks:
        changed = (
            Column.words(
                "last before", (short_hash(machine_break.last_before) for machine_break in history.breaks)
            ),
            Column.words(
                "first after", (short_hash(machine_break.first) for machine_break in history.breaks)
            ),
            Column.words(
                "what differs",
                (
                    join_names([printable(text) for text in machine_break.differs])
                    for machine_break in history.breaks
                ),
            ),
        )
        tables.append((f"Where the machine changed, {plural(len(history.breaks), 'time')}", changed, ()))
    return Section("machine", "Machines", tables=tuple(tables))
