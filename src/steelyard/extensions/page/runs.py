"""Every run: the distribution of each treatment, and the course of the experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from steelyard.extensions.page.columns import FAR, RunColumns, described_name
from steelyard.extensions.page.html_table import RUN
from steelyard.report.answer.tables import primary
from steelyard.report.page.chart import (
    ACCENT,
    INK,
    MOST_INSIDE,
    WORSE,
    Chart,
    Section,
    draw_rows_axis,
    name_shared,
    number,
    rows_px,
    tooltip,
    unless_chosen,
)
from steelyard.report.page.marks import diamond, line_at, mark, opacity_scale
from steelyard.report.text.digits import percent, quantity, scale
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Span
from steelyard.report.text.table import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steelyard.core.units import Metric
    from steelyard.report.answer.words import Names
    from steelyard.results.analysis import Answer
    from steelyard.results.portrait import Excluded, Portrait
    from steelyard.results.samples import Described, Summary

Tables = tuple[tuple[str, tuple[Column, ...], tuple[str, ...]], ...]
PARTS: Final = 10
"""Of the course, in its table."""
MOST_LISTED: Final = 60
"""Runs that are listed: the page shows all of them, and ``steelyard export`` has their facts."""


def section(portrait: Portrait, answer: Answer | None, called: Names, columns: RunColumns) -> Section:
    """Both charts, and the runs that are in no result."""
    metric = portrait.samples[0].metric if portrait.samples else None
    if metric is None or not len(columns):
        text = "No run is in a result" + ("; why is below." if portrait.excluded else " yet.")
        return Section("runs", "Every run", (text,), tables=_make_lost(portrait, called))
    tables = (*_render_disturbed(portrait, columns, metric, called), *_make_lost(portrait, called))
    samples = primary(answer) if answer is not None else []
    charts = (_draw_distribution(columns, metric, samples, called), _draw_course(portrait, columns, metric))
    return Section("runs", "Every run", (_count(portrait, columns),), charts, tables)


def _get_hover(columns: RunColumns) -> list[dict[str, str]]:
    """Return what a dot says of its run."""
    context = {"context": "context"} if columns.context.any() else {}
    fields = {"name": "treatment", "shown": "value", "run": "run", "block": "block"}
    return tooltip(**fields, **context, wait="waited for a CPU")


def _count(portrait: Portrait, columns: RunColumns) -> str:
    runs = plural(len(columns), "value" if any(s.labels for s in portrait.samples) else "run")
    out = plural(len(portrait.excluded), "run")
    text = f"{runs} in the results"
    if portrait.excluded:
        text += f", {out} not (failed, warm-up, or in an incomplete block; listed below)"
    if columns.many:
        text += (
            ". Charts show how many runs lie where, and one by one the lowest and highest"
            f" {percent(FAR)} of each treatment"
        )
        if columns.complete:
            text += "; with scripts, a click on a treatment shows all of its runs. The page holds every value"
        else:
            text += ". steelyard export RECORD -o FILE.csv writes every run into a file"
    return text + "."


def _add_units(rows: Sequence[dict[str, Any]], metric: Metric) -> list[dict[str, Any]]:
    """Rows with what hovering says of them."""
    return [
        row
        | {"shown": quantity(row["value"], metric.unit, abs(row["value"]) * 1e-4)}
        | {"wait": percent(row["waited"]) if row["waited"] else "no"}
        for row in rows
    ]


def _draw_distribution(
    columns: RunColumns, metric: Metric, samples: Sequence[Described], called: Names
) -> Chart:
    count = len(columns.names)
    unit = columns.scale
    title = f"{printable(metric.name)}{f' ({unit.unit})' if unit.unit else ''}"

    def x(field: str) -> dict[str, Any]:
        return number(
            field, title, scale={"type": "log" if columns.wide else "linear"}, axis={"tickCount": 6}
        )

    y = draw_rows_axis(columns.names)
    row_px = rows_px(count) / count
    dots_px = 20 if count <= MOST_INSIDE else 14
    beside = (row_px / dots_px - 1) / 2
    scaled = [{"calculate": f"datum.{f} / {unit.factor}", "as": f} for f in ("low", "high")]
    jitter = {"calculate": "(datum.run * 0.6180339887) % 1", "as": "jitter"}
    medians = [
        {"name": name, "treatment": treatment, "median": median / unit.factor}
        for name, treatment, median in zip(
            columns.names, columns.treatments, columns.medians.tolist(), strict=True
        )
    ]
    offset = {"field": "jitter", "type": "quantitative", "scale": {"domain": [-beside, 1 + beside]}}
    counted = {
        "x": x("low"),
        "x2": {"field": "high"},
        "y": y,
        "fillOpacity": opacity_scale("share", 0.08, 0.85),
        "opacity": unless_chosen(1.0),
        "tooltip": tooltip(name="treatment", count="runs here"),
    }
    dots = {"x": x("x"), "y": y, "yOffset": offset, "tooltip": _get_hover(columns)}
    dots["opacity"] = unless_chosen(0.5, 0.04)
    middle = {"x": x("median"), "y": y, "opacity": unless_chosen(1.0, 0.2)}
    counts = mark("rect", counted, rows="spread", color=ACCENT, height=dots_px) | {"transform": scaled}
    in_unit = {"calculate": f"datum.value / {unit.factor}", "as": "x"}
    ticks = mark("tick", middle, color=INK, thickness=2, size=dots_px)
    layers = [
        *([counts] if columns.many else []),
        mark("circle", dots, rows="runs", size=16, color=ACCENT) | {"transform": [jitter, in_unit]},
        {"data": {"values": medians}, **ticks},
    ]
    chart = Chart(
        name="distribution",
        title=f"{printable(metric.name)} of every run, by treatment",
        about="A dot is one run, the line the median." if not columns.many else
        "The darker, the more runs; dots: the lowest, highest and disturbed ones; the line: the median.",
        spec={"height": rows_px(count), "layer": layers},
        data={"runs": _add_units(columns.rows(), metric), "spread": columns.spread()},
        columns=render_summary_columns(samples, called),
        rows_of=tuple(sample.treatment.label for sample in samples),
    )  # fmt: skip
    return name_shared(chart, columns.names)


def render_summary_columns(samples: Sequence[Described], called: Names) -> tuple[Column, ...]:
    """Location, spread and uncertainty of each sample, in words that say which is which."""
    if not samples:
        return ()
    every = [sample.summary for sample in samples]
    unit = scale([s.mean or 0 for s in every], [s.u for s in every if s.u], samples[0].metric.unit)
    suffix = f" ({unit.unit})" if unit.unit else ""

    def percents(shares: Sequence[float | None]) -> list[Span]:
        return [Span("–" if share is None else percent(share)) for share in shares]

    def quartiles(summary: Summary) -> Span:
        interval = summary.quartiles
        return Span(f"{unit.text(interval.low)} to {unit.text(interval.high)}" if interval else "–")

    return (
        Column.words("treatment", (described_name(sample, called) for sample in samples)),
        Column.numbers("runs", (f"{summary.n:,}" for summary in every)),
        Column.numbers("failed", (f"{sample.failures.failed:,}" for sample in samples)),
        Column.numbers(f"mean{suffix}", (unit.text(summary.mean) for summary in every)),
        Column.numbers("standard error", (unit.text(summary.u) for summary in every)),
        Column("RSU", percents([summary.rsu for summary in every])),
        Column.numbers("σ", (unit.text(summary.s) for summary in every)),
        Column("CV", percents([summary.cv for summary in every])),
        Column.numbers("median", (unit.text(summary.median) for summary in every)),
        Column("quartiles", [quartiles(summary) for summary in every]),
        Column.numbers("lowest", (unit.text(summary.min) for summary in every)),
        Column.numbers("highest", (unit.text(summary.max) for summary in every)),
    )


def _draw_course(portrait: Portrait, columns: RunColumns, metric: Metric) -> Chart:
    deviations, hover = columns.deviation(), _get_hover(columns)
    typical = max(0.5, float(abs(deviations[columns.select_far()]).mean()) if len(columns) else 1.0)
    title = "deviation from the treatment's median (%)"

    def y(field: str) -> dict[str, Any]:
        # Linear about 0, logarithmic far out: one run that took ten times as long hides no other.
        return number(field, title, scale={"type": "symlog", "constant": 3 * typical})

    x, start = (number(name, "run, in the order of time", scale={"nice": False}) for name in ("run", "from"))
    counted = {
        "x": start,
        "x2": {"field": "to"},
        "y": y("low"),
        "y2": {"field": "high"},
        "fillOpacity": opacity_scale("share", 0.06, 0.8),
    }
    at = {"x": x, "y": y("deviation"), "tooltip": hover}
    layers = [
        *([mark("rect", counted, rows="course", color=ACCENT)] if columns.many else []),
        line_at(0, "y", y),
        mark("circle", {**at, "opacity": unless_chosen(0.5, 0.04)}, rows="runs", size=14, color=ACCENT),
    ]
    if columns.disturbed.any():
        opaque = {**at, "opacity": unless_chosen(1.0)}
        layers.append(diamond(opaque, "datum.waited", 60, WORSE, rows="runs"))
    about = "A dot is one run." if not columns.many else "The darker, the more runs."
    if portrait.disturbed:
        about += (
            f" Diamonds: {plural(len(portrait.disturbed), 'run')} that waited for a CPU during more than 5 %"
            " of their time, listed below."
        )
    return Chart(
        name="course",
        title="The same runs in the order of time",
        about=about,
        spec={"height": 240, "layer": layers},
        data={"runs": _add_units(columns.rows(), metric), "course": columns.course()},
        columns=_render_tenths(columns),
    )


def _render_tenths(columns: RunColumns) -> tuple[Column, ...]:
    """Return the course in ten parts of equally many runs, in which a drift shows."""
    deviations, disturbed = columns.deviation(), columns.disturbed
    parts = [part for part in np.array_split(np.arange(len(columns)), PARTS) if len(part)]
    ends = [(columns.trial[part[0]], columns.trial[part[-1]]) for part in parts]
    return (
        Column.words("runs", (f"{first} to {last}" for first, last in ends)),
        Column.numbers("median deviation", (f"{np.median(deviations[part]):+.2f} %" for part in parts)),
        Column.numbers("lowest", (f"{deviations[part].min():+.2f} %" for part in parts)),
        Column.numbers("highest", (f"{deviations[part].max():+.2f} %" for part in parts)),
        Column.numbers("disturbed", (str(int(disturbed[part].sum())) for part in parts)),
    )


def _render_disturbed(portrait: Portrait, columns: RunColumns, metric: Metric, called: Names) -> Tables:
    """Return the runs that waited longest."""
    listed = sorted(portrait.disturbed, key=lambda trial: -trial.waited)[:MOST_LISTED]
    labels = {treatment.id: treatment.label for treatment in portrait.treatments}
    values = dict(zip(columns.trial.tolist(), columns.value.tolist(), strict=True))
    rows = [(trial, values[trial.trial]) for trial in listed if trial.trial in values]
    if not rows:
        return ()
    table = (
        Column.numbers(RUN, (str(trial.trial) for trial, _ in rows)),
        Column.numbers("block", (str(trial.block) for trial, _ in rows)),
        Column.words("treatment", (called[labels[trial.treatment]] for trial, _ in rows)),
        Column.numbers(printable(metric.name), (quantity(v, metric.unit, abs(v) * 1e-3) for _, v in rows)),
        Column.numbers("waited for a CPU", (percent(trial.waited) for trial, _ in rows)),
    )
    some = f", the {MOST_LISTED} that waited longest" if len(portrait.disturbed) > MOST_LISTED else ""
    treatments = tuple(labels[trial.treatment] for trial, _ in rows)
    return ((f"Disturbed runs{some}", table, treatments),)


def _make_lost(portrait: Portrait, called: Names) -> Tables:
    """Return the runs that are in no result; failed ones first."""
    if not portrait.excluded:
        return ()
    every = sorted(portrait.excluded, key=lambda trial: trial.status == "ok")
    listed = every[:MOST_LISTED]
    labels = {treatment.id: treatment.label for treatment in portrait.treatments}
    text = f" ({MOST_LISTED} of {len(every):,}; steelyard export has all)" if len(every) > MOST_LISTED else ""

    def style(excluded: Excluded) -> Span:
        return Span(excluded.status.replace("_", " "), "" if excluded.status == "ok" else "bad")

    columns = (
        Column.numbers(RUN, (str(trial.trial) for trial in listed)),
        Column.numbers("block", (str(trial.block) for trial in listed)),
        Column.words(
            "treatment", (called.get(labels[e.treatment]) or printable(labels[e.treatment]) for e in listed)
        ),
        Column("status", [style(trial) for trial in listed], right=False),
        Column.numbers("took", (quantity(trial.wall_s, "s", None) for trial in listed)),
        Column.words("why it is left out", (printable(trial.why) for trial in listed)),
    )
    return ((f"Runs that are left out{text}", columns, tuple(labels[e.treatment] for e in listed)),)
