"""Contexts: each treatment from one to the next, and what single contexts say of each comparison.

The figures of Mytkowicz et al. 2008 (DOI 10.1109/IPDPS.2008.4536408): 3, 4 and 5.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from steelyard.core.units import is_number
from steelyard.report.answer.contexts import render_context_columns, sentences
from steelyard.report.answer.words import format_times, pair_name
from steelyard.report.page.chart import (
    ACCENT,
    BETTER,
    INK,
    MUTED,
    OPEN,
    PAGE,
    SERIES,
    WORSE,
    Chart,
    Section,
    data,
    draw_rows_axis,
    name_shared,
    number,
    rows_px,
    tooltip,
    unless_chosen,
)
from steelyard.report.page.forest import format_bounds
from steelyard.report.page.marks import colour_scale, line_at, mark, point, series_scale
from steelyard.report.page.ratio_axis import make_ratio_axis, name_directions
from steelyard.report.text.label import printable
from steelyard.report.text.line import Span
from steelyard.report.text.table import Column

if TYPE_CHECKING:
    from steelyard.report.answer.words import Names
    from steelyard.results.analysis import Answer
    from steelyard.results.contexts import ByContext, ContextFinding, Profile
    from steelyard.results.interval import Interval

MOST_PAIRS: Final = 30
MOST_ALONE: Final = 4
"""Comparisons with a histogram of their own."""
BINS: Final = 16
BELOW_PX: Final = 13
"""From the strokes of single contexts to what all of them say."""
_ALONE: Final = {"faster alone": BETTER, "slower alone": WORSE, "not resolved alone": OPEN}


def section(answer: Answer, by_context: ByContext | None, called: Names) -> Section | None:
    """Return what contexts do; ``None`` where the experiment has none."""
    if not answer.contexts:
        return None
    pairs = [context for context in answer.contexts if context.across.singles]
    charts: list[Chart] = []
    if by_context is not None and by_context.profiles:
        charts.append(_draw_profiles(by_context.profiles, called))
    if pairs:
        charts += [_draw_single(answer, pairs[:MOST_PAIRS], called)]
        charts += [
            _draw_histogram(answer, finding, i, called) for i, finding in enumerate(pairs[:MOST_ALONE], 1)
        ]
    notes = tuple(sentences(answer.contexts, called))
    return Section("contexts", "Contexts", notes, tuple(charts))


def _draw_profiles(profiles: tuple[Profile, ...], called: Names) -> Chart:
    """Figure 3: the change of each treatment from context to context."""
    varied = [
        name
        for name in profiles[0].at[0].settings
        if len({at.settings.get(name) for profile in profiles for at in profile.at}) > 1
    ]
    numeric = len(varied) == 1 and all(is_number(at.settings[varied[0]]) for p in profiles for at in p.at)
    rows = [
        {
            "name": called[profile.treatment.label],
            "treatment": profile.treatment.label,
            "place": at.settings[varied[0]] if numeric else at.context,
            "settings": ", ".join(f"{name} {at.settings[name]}" for name in varied),
            "change": 100 * (at.ratio - 1),
            **_get_percents(at.interval),
            "says": f"{100 * (at.ratio - 1):+.2f} %",
            "visits": at.visits,
        }
        for profile in profiles
        for at in profile.at
    ]
    few = len(profiles) <= len(SERIES)
    names = [called[profile.treatment.label] for profile in profiles]
    title = printable(varied[0]) if numeric else "context"
    shared: dict[str, Any] = {
        "x": number("place", title, scale={"nice": False}),
        "color": series_scale("name", names) if few else {"value": ACCENT},
        "tooltip": tooltip(name="treatment", settings="context", says="change", visits="visits"),
    }

    def y(field: str) -> dict[str, Any]:
        return number(field, "change against the mean of all contexts (%)")

    bars = {**shared, "y": y("low"), "y2": {"field": "high"}, "opacity": unless_chosen(0.5, 0.05)}
    dots = {**shared, "y": y("change"), "opacity": unless_chosen(0.9, 0.05)}
    layers = [
        line_at(0, "y", y),
        *(
            [mark("rule", bars, condition="low", strokeWidth=1.5)]
            if any("low" in row for row in rows)
            else []
        ),
        mark("circle", dots, size=34),
    ]
    flat = [(profile, at) for profile in profiles for at in profile.at]
    columns = (
        Column.words("treatment", (called[single.treatment.label] for single, _ in flat)),
        Column.numbers("context", (str(at.context) for _, at in flat)),
        *(Column.numbers(printable(n), (printable(str(at.settings[n])) for _, at in flat)) for n in varied),
        Column.numbers("visits", (str(at.visits) for _, at in flat)),
        Column.numbers("change", (f"{100 * (at.ratio - 1):+.2f} %" for _, at in flat)),
        Column("95 % CI (%)", [_render_percent_cell(at.interval) for _, at in flat]),
    )
    return Chart(
        name="by-context",
        title="Each treatment from context to context",
        about="A dot is one context, a line its 95 % confidence interval where it was visited twice or more.",
        spec={"data": data("rows"), "height": 240, "layer": layers},
        data={"rows": rows},
        columns=columns,
        rows_of=tuple(single.treatment.label for single, _ in flat),
    )


def _get_percents(interval: Interval | None) -> dict[str, float]:
    return {"low": 100 * (interval.low - 1), "high": 100 * (interval.high - 1)} if interval else {}


def _render_percent_cell(interval: Interval | None) -> Span:
    percents = _get_percents(interval)
    return Span(f"{percents['low']:+.2f} to {percents['high']:+.2f}" if percents else "–")


def _draw_single(answer: Answer, findings: list[ContextFinding], called: Names) -> Chart:
    """Figure 5: what single contexts would say, above what all of them say together."""
    singles: list[dict[str, Any]] = []
    together: list[dict[str, Any]] = []
    for finding in findings:
        name, across = _pair(finding, called), finding.across
        common = {"name": name, "treatment": finding.treatment.label}
        singles += [
            common
            | {
                "speedup": in_context.speedup,
                "context": in_context.context,
                "says": format_times(answer.metric, in_context.speedup, in_context.interval),
                "alone": ("slower alone", "not resolved alone", "faster alone")[in_context.alone + 1],
            }
            for in_context in across.singles
        ]
        inverted = across.speedup < 1 and across.interval is not None and across.interval.excludes(1)
        row: dict[str, Any] = {"ci": "unbounded", "next": "unbounded"}
        row |= common | {
            "speedup": across.speedup,
            "says": format_times(answer.metric, across.speedup, across.interval),
        }
        if across.interval:
            row |= {"low": across.interval.low, "high": across.interval.high}
            row |= {"ci": format_bounds(across.speedup, across.interval, inverted=inverted)}
        if across.prediction:
            row |= {"least": across.prediction.low, "most": across.prediction.high}
            row |= {"next": format_bounds(across.speedup, across.prediction, inverted=inverted)}
        together.append(row)
    y = draw_rows_axis([_pair(context_finding, called) for context_finding in findings])

    ratios = [row["speedup"] for row in singles]
    ratios += [row[end] for row in together for end in ("low", "high", "least", "most") if end in row]

    def x(field: str) -> dict[str, Any]:
        return make_ratio_axis(field, "in one context", ratios, name_directions(answer.metric))

    hover = tooltip(name="comparison", says="all contexts", ci="95 % CI", next="next context (95 % PI)")

    def interval(low: str, high: str, color: str, width: float) -> dict[str, Any]:
        ends = {"x": x(low), "x2": {"field": high}, "y": y, "tooltip": hover}
        look = {"strokeCap": "round", "yOffset": BELOW_PX, "color": color, "strokeWidth": width}
        return mark("rule", ends, rows="together", condition=low, **look)

    strokes = {
        "x": x("speedup"),
        "y": y,
        "color": colour_scale("alone", _ALONE),
        "opacity": unless_chosen(0.65, 0.05),
        "tooltip": tooltip(name="comparison", context="context", says="speedup", alone="by itself"),
    }
    layers = [
        line_at(1, "x", x),
        mark("tick", strokes, rows="singles", thickness=1.6, height=12, yOffset=-2),
        *(
            interval(low, high, color, width)
            for low, high, color, width in (("least", "most", MUTED, 1.3), ("low", "high", INK, 5))
            if any(low in row for row in together)
        ),
        point(
            {"x": x("speedup"), "y": y, "tooltip": hover},
            70,
            rows="together",
            color=INK,
            stroke=PAGE,
            yOffset=BELOW_PX,
        ),
    ]
    chart = Chart(
        name="single-contexts",
        title="What one person with one set-up would see",
        about="A stroke is one context. Below: all of them together, with the 95 % confidence interval"
        " (thick) and where a new context would lie (thin).",
        spec={"height": rows_px(len(findings)), "layer": layers},
        data={"singles": singles, "together": together},
        columns=tuple(render_context_columns(answer.contexts, called)),
        rows_of=tuple(context.treatment.label for context in answer.contexts),
    )
    return name_shared(chart, [row["name"] for row in together])


def _draw_histogram(answer: Answer, finding: ContextFinding, number_: int, called: Names) -> Chart:
    """Figure 4: in how many contexts which speedup was seen."""
    across = finding.across
    speedups = [context.speedup for context in across.singles]
    low, high = min(speedups), max(speedups)
    step = math.log(high / low) / BINS or 0.01
    counts = [0] * BINS
    for value in speedups:
        counts[min(BINS - 1, int(math.log(value / low) / step))] += 1
    rows = [
        {"low": low * math.exp(i * step), "high": low * math.exp((i + 1) * step), "contexts": count}
        for i, count in enumerate(counts)
        if count
    ]
    text = format_times(answer.metric, across.speedup, across.interval)
    x = make_ratio_axis("low", "in one context", speedups, name_directions(answer.metric))
    bars = {
        "x": x | {"bin": {"binned": True}},
        "x2": {"field": "high"},
        "y": {"field": "contexts", "type": "quantitative", "title": "contexts"},
        "tooltip": tooltip(contexts="contexts", low="from", high="to"),
    }
    says = {"x": x, "y": {"value": -10}, "text": {"field": "text"}}
    together = [
        mark("rule", {"x": x}, color=INK, strokeWidth=2),
        mark("text", says, fontWeight=600),
    ]
    layers = [
        mark("bar", bars, color=ACCENT, opacity=0.75, binSpacing=1),
        {"data": {"values": [{"low": across.speedup, "text": f"all: {text}"}]}, "layer": together},
    ]
    columns = (
        Column.numbers("from", (f"{row['low']:.4g}" for row in rows)),
        Column.numbers("to", (f"{row['high']:.4g}" for row in rows)),
        Column.numbers("contexts", (str(row["contexts"]) for row in rows)),
    )
    return Chart(
        name=f"contexts-by-speedup-{number_}",
        title=f"Contexts by speedup: {_pair(finding, called)}",
        about="The line is the speedup over all contexts.",
        spec={"data": data("rows"), "height": 150, "layer": layers},
        data={"rows": rows},
        columns=columns,
    )


def _pair(finding: ContextFinding, called: Names) -> str:
    labels = [f"{key}={level}" for key, level in finding.labels.items()]
    return ", ".join([pair_name(finding.treatment, finding.baseline, called), *labels])
