"""The observer: what each probe changes, and the course of a run under it.

The figures of Mytkowicz et al. 2008 (DOI 10.1109/IPDPS.2008.4536408): 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from steelyard.extensions.observe.text import (
    change_columns,
    format_metric_title,
    headline,
    rows_of,
    verdict_of,
)
from steelyard.report.page.chart import (
    BETTER,
    MOST_INSIDE,
    OPEN,
    WORSE,
    Chart,
    Rows,
    Section,
    Spec,
    data,
    draw_rows_axis,
    name_shared,
    number,
    place_at_end,
    rows_px,
    tooltip,
)
from steelyard.report.page.marks import colour_scale, line_at, mark, point, series_scale
from steelyard.report.text.label import printable
from steelyard.report.text.line import Style
from steelyard.report.text.table import Column
from steelyard.results.interval import Interval

if TYPE_CHECKING:
    from steelyard.extensions.observe.results import Observation, Trace

_COLOURS: Final[dict[Style, str]] = {"good": "unperturbed", "bad": "perturbed"}


class Changed(msgspec.Struct, frozen=True):
    """One metric under one probe: its change as a ratio, and the fraction of instructions that are added."""

    name: str
    ratio: float
    interval: Interval | None
    style: Style = "open"
    added: float | None = None


def section(observation: Observation) -> Section | None:
    """Return a chart for each metric, and for each event that was traced."""
    if not observation.metrics:
        return None
    charts = []
    for metric in observation.metrics:
        rows = rows_of(metric, observation)
        changes = [
            Changed(
                printable(probe.name), c.ratio, c.ci95, verdict_of(c, observation.within).style, probe.added
            )
            for probe, c in rows
        ]
        charts.append(
            draw_changes_chart(
                f"probes-{''.join(char if char.isalnum() else '-' for char in metric.name)}",
                format_metric_title(metric, observation),
                changes,
                columns=tuple(change_columns(rows, observation)),
            )
        )
    return Section(
        "observer", "Cost of observing", (headline(observation),), (*charts, *_draw_traces(observation))
    )


def draw_changes_chart(name: str, title: str, changes: Sequence[Changed], **options: Any) -> Chart:
    """Chart the change against no probe.

    It is over the share of instructions added where that was counted (Figure 2), else a row for each probe
    (Figure 1).
    """
    levels = {change.added for change in changes}
    over_added = None not in levels and len(levels) > 3
    rows = [
        {
            "name": change.name,
            "change": 100 * (change.ratio - 1),
            "added": None if change.added is None else 100 * change.added,
            "low": 100 * ((change.interval.low if change.interval else change.ratio) - 1),
            "high": 100 * ((change.interval.high if change.interval else change.ratio) - 1),
            "means": _COLOURS.get(change.style, "not resolved"),
            "says": f"{100 * (change.ratio - 1):+.2f} %",
        }
        for change in changes
    ]
    chart = Chart(
        name=name,
        title=title,
        about="Change against no probe, with 95 % intervals; no line joins the probes, since more of a probe"
        " is not more of its effect.",
        spec=_draw_over_added(rows) if over_added else _make_row_each(rows),
        data={"rows": rows},
        **options,
    )
    return chart if over_added else name_shared(chart, [change.name for change in changes])


TICKS: Final = {"tickCount": 8}
_MEANS: Final = {"unperturbed": BETTER, "perturbed": WORSE, "not resolved": OPEN}


def _encode(rows: Rows) -> dict[str, Any]:
    """Return what all marks of a chart share."""
    used = {row["means"] for row in rows}
    return {"color": colour_scale("means", {name: colour for name, colour in _MEANS.items() if name in used})}


def _hover(encoding: Mapping[str, Any]) -> dict[str, Any]:
    return {**encoding, "tooltip": tooltip(name="probe", says="change", means="verdict")}


def _change(field: str) -> dict[str, Any]:
    return number(field, "change (%)")


def _draw_over_added(rows: Rows) -> Spec:
    x = number("added", "instructions added by the probe (%)", scale={"zero": True}, axis=TICKS)
    shared = {"x": x, **_encode(rows)}
    layers = [
        line_at(0, "y", _change),
        mark("rule", {**shared, "y": _change("low"), "y2": {"field": "high"}}, strokeWidth=2),
        point(_hover({**shared, "y": _change("change")}), 55, opacity=1),
    ]
    return {"data": data("rows"), "height": 240, "layer": layers}


def _make_row_each(rows: Rows) -> Spec:
    y = draw_rows_axis([row["name"] for row in rows])
    shared = {"y": y, **_encode(rows)}
    ends = {**shared, "x": _change("low"), "x2": {"field": "high"}}
    layers = [
        line_at(0, "x", _change),
        mark("rule", ends, strokeWidth=5, strokeCap="round"),
        point(_hover({**shared, "x": _change("change")}), 75, opacity=1),
        *([place_at_end("says", y)] if len(rows) <= MOST_INSIDE else []),
    ]
    return {"data": data("rows"), "height": rows_px(len(rows)), "layer": layers}


def _draw_traces(observation: Observation) -> Iterator[Chart]:
    """Yield the course of a run: rates of an event in equal parts of its CPU time."""
    for i, event in enumerate(dict.fromkeys(trace.event for trace in observation.traces), 1):
        traces = [trace for trace in observation.traces if trace.event == event]
        rows = [row for trace in traces for row in _list_course(trace)]
        names = [printable(trace.level) for trace in traces]
        course = {
            "x": number("part", "part of the run's CPU time (%)", scale={"nice": False}),
            "y": number("rate", "events per second", axis={"format": "~s"}),
            "color": series_scale("level", names),
            "tooltip": tooltip(level="probe", rate="events per second"),
        }
        line = mark("line", course, rows="rows", interpolate="step", strokeWidth=1.8)
        yield Chart(
            name=f"trace-{i}",
            title=f"{printable(event)} in the course of a run",
            about="Mean rate over runs in equal parts of their CPU time.",
            spec={"height": 220, **line},
            data={"rows": rows},
            columns=(
                Column.words("probe", (row["level"] for row in rows)),
                Column.numbers("from part (%)", (f"{row['part']:.0f}" for row in rows)),
                Column.numbers("events per second", (f"{row['rate']:.4g}" for row in rows)),
            ),
        )


def _list_course(trace: Trace) -> Iterator[dict[str, Any]]:
    for i, rate in enumerate((*trace.rates, *trace.rates[-1:])):
        yield {"level": printable(trace.level), "part": 100 * i / len(trace.rates), "rate": rate}
