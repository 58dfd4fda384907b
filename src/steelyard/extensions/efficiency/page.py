"""Efficiency as a page: a chart of efficiency and one of speedup for each function, beside the ideal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from steelyard.core.units import format_quantity
from steelyard.extensions.efficiency.results import Efficiencies, EfficiencySeries
from steelyard.extensions.efficiency.text import describe, format_interval, format_percent, make_columns
from steelyard.report.answer.words import Finding
from steelyard.report.page.answer_page import AnswerPage
from steelyard.report.page.chart import ACCENT, INK, MUTED, WORSE, Chart, Section, number, tooltip
from steelyard.report.page.marks import colour_scale, mark, point
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Style

MOST: Final = 12
"""Functions with charts; the first of the data."""
MOST_LEADING: Final = 6
"""Functions above everything else."""
DASHES: Final = [5, 4]


def lay_out(answer: Efficiencies) -> AnswerPage:
    """Return up to which scale each function has the efficiency, and its charts."""
    findings = [_describe_finding(series) for series in answer.series]
    rest = len(findings) - MOST_LEADING
    return AnswerPage(
        name=printable(answer.data) or "Efficiency",
        findings=tuple(findings[:MOST_LEADING]),
        state=f"{plural(len(answer.series), 'function')}, steelyard efficiency",
        omitted=f"… and {rest} more, in the tables below." if rest > 0 else "",
        sections=(
            *(_draw_series(series, place) for place, series in enumerate(answer.series, 1)),
            *_list_not_computed(answer),
        ),
    )


def _describe_finding(series: EfficiencySeries) -> Finding:
    first, *rest = describe(series).split("; ")
    style: Style = "bad" if series.up_to is None else "good"
    return Finding(first, "; ".join(rest), style)


def _list_not_computed(answer: Efficiencies) -> tuple[Section, ...]:
    if not answer.not_computed:
        return ()
    reasons = tuple(f"{printable(item.name or item.metric)}: {item.reason}" for item in answer.not_computed)
    return (Section("without", "Without efficiency", notes=reasons),)


def _draw_series(series: EfficiencySeries, place: int) -> Section:
    name = printable(series.name or series.metric)
    columns = tuple(make_columns(series))
    if place > MOST:
        return Section(f"efficiency-{place}", name, tables=((name, columns, ()),))
    charts = (_draw_efficiency(series, name, place), _draw_speedup(series, name, place))
    return Section(f"efficiency-{place}", name, charts=charts, tables=((name, columns, ()),))


def _make_scale_axis(series: EfficiencySeries) -> dict[str, Any]:
    last = series.points[-1].at
    wide = {"type": "log", "base": 2} if last > 8 * series.base else {"type": "linear"}
    return number("x", printable(series.parameter), scale={**wide, "nice": False}, axis={"tickCount": 6})


def _draw_efficiency(series: EfficiencySeries, name: str, place: int) -> Chart:
    rows = [
        {
            "x": item.at,
            "y": 100 * item.efficiency,
            "low": None if item.interval is None else 100 * item.interval.low,
            "high": None if item.interval is None else 100 * item.interval.high,
            "says": f"{format_percent(item.efficiency)} ({format_interval(item)})",
        }
        for item in series.points
    ]
    ends = (series.base, series.points[-1].at)
    bound = f"at least {format_percent(series.least)}"
    lines = [
        {"x": end, "y": 100 * share, "what": label}
        for label, share in (("ideal", 1.0), (bound, series.least))
        for end in ends
    ]

    def y(field: str) -> dict[str, Any]:
        return number(field, "efficiency (%)", scale={"zero": True})

    x = _make_scale_axis(series)
    layers = [
        _draw_references({"ideal": MUTED, bound: WORSE}, x, y("y")),
        *_draw_values(x, y, tooltip(x=series.parameter, says="efficiency")),
    ]
    return Chart(
        name=f"efficiency-{place}",
        title=f"{name}: parallel efficiency, {series.scaling} scaling",
        about="Dots are ratios of means, bars 95 % intervals. Dashed: the ideal, and what was asked for.",
        spec={"height": 240, "layer": layers},
        data={"rows": rows, "lines": lines},
        heading=f"{name}, {series.scaling} scaling",
    )


def _draw_speedup(series: EfficiencySeries, name: str, place: int) -> Chart:
    rows = [
        {
            "x": item.at,
            "y": item.speedup,
            "low": _scale_end(series, item.at, None if item.interval is None else item.interval.low),
            "high": _scale_end(series, item.at, None if item.interval is None else item.interval.high),
            "says": f"{item.speedup:.3g} × ({format_quantity(item.value, series.unit)})",
        }
        for item in series.points
    ]
    lines = [{"x": item.at, "y": item.at / series.base, "what": "ideal"} for item in series.points]
    type_ = "log" if series.points[-1].at > 8 * series.base else "linear"

    def y(field: str) -> dict[str, Any]:
        scale = {"type": type_, "nice": False} | ({"base": 2} if type_ == "log" else {})
        return number(field, f"speedup over {series.base:g}", scale=scale)

    x = _make_scale_axis(series)
    layers = [
        _draw_references({"ideal": MUTED}, x, y("y")),
        *_draw_values(x, y, tooltip(x=series.parameter, says="speedup")),
    ]
    return Chart(
        name=f"speedup-{place}",
        title=f"{name}: speedup",
        about="Bars are 95 % intervals; dashed is the ideal.",
        spec={"height": 240, "layer": layers},
        data={"rows": rows, "lines": lines},
        heading=name,
    )


def _scale_end(series: EfficiencySeries, at: float, end: float | None) -> float | None:
    return None if end is None else end * at / series.base


def _draw_values(
    x: dict[str, Any], y: Callable[[str], dict[str, Any]], hint: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """Return what was measured: dots on a line, with bars of intervals."""
    bar = {"x": x, "y": y("low"), "y2": {"field": "high"}}
    bounded = "isValid(datum.low) && isValid(datum.high)"
    dot = {"x": x, "y": y("y"), "tooltip": hint}
    return [
        mark("rule", bar, rows="rows", condition=bounded, color=ACCENT, strokeWidth=2),
        mark("line", {"x": x, "y": y("y")}, rows="rows", color=ACCENT, strokeWidth=1.5),
        point(dot, 50, rows="rows", color=INK, opacity=1),
    ]


def _draw_references(colours: dict[str, str], x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """Return the dashed lines that values are compared with, and their legend."""
    legend = {"symbolType": "stroke", "symbolDash": DASHES}
    colour = {"color": colour_scale("what", colours, legend=legend), "detail": {"field": "what"}}
    return mark("line", {"x": x, "y": y, **colour}, rows="lines", strokeDash=DASHES, strokeWidth=1.3)
