"""Efficiencies as tables, for terminals and for papers."""

from __future__ import annotations

from typing import Final

from steelyard.core.units import format_quantity
from steelyard.extensions.efficiency.results import Efficiencies, EfficiencyPoint, EfficiencySeries
from steelyard.extensions.page.latex_table import format_latex_table
from steelyard.report.text.label import printable
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.report.text.table import Column, table

SECONDS: Final = 3600.0


def lines(answer: Efficiencies, width: int = 80) -> list[Line]:
    """Render one table a function, the answer first."""
    out: list[Line] = []
    for series in answer.series:
        if out:
            out.append(())
        out += render_paragraph(describe(series), width, style="heading", rest="  ", only_first=True)
        out += table(make_columns(series), width)
    for failed in answer.not_computed:
        text = f"{printable(failed.name or failed.metric)}: no efficiency: {failed.reason}"
        out += render_paragraph(text, width, rest="  ")
    return out


def describe(series: EfficiencySeries) -> str:
    """Say in a sentence up to which scale the efficiency holds, the peak, and what is superlinear."""
    name, share_text = series.parameter, format_percent(series.least)
    subject = printable(series.name or series.metric)
    if series.up_to is None:
        first = f"{subject}: below {share_text} of efficiency at once"
    else:
        sure = "" if series.surely_up_to is None else f", with 95 % up to {series.surely_up_to:g}"
        first = f"{subject}: {share_text} of efficiency up to {name} = {series.up_to:g}{sure}"
    parts = [f"{first} ({series.scaling} scaling from {series.base:g})"]
    if series.open_from is not None:
        parts.append(f"open from {name} = {series.open_from:g} on: {printable(series.missing)}")
    if series.peak < series.points[-1].at:
        parts.append(f"largest speedup at {name} = {series.peak:g}")
    if series.superlinear:
        scales = ", ".join(f"{scale:g}" for scale in series.superlinear)
        parts.append(f"superlinear (above 100 %) at {name} = {scales}: the base is slow there, or caches fit")
    if above := [f"{point.at:g}" for point in series.points if (point.of_peak or 0) > 1]:
        parts.append(f"more than 100 % of peak at {name} = {', '.join(above)}: peak or work is miscounted")
    return "; ".join(parts)


def make_columns(series: EfficiencySeries) -> list[Column]:
    """Return the table of a function, a row a scale."""
    points = series.points
    columns = [
        Column.numbers(printable(series.parameter), (f"{point.at:g}" for point in points)),
        Column("value", [Span(format_quantity(point.value, series.unit)) for point in points]),
        Column.numbers("speedup", (f"{point.speedup:.3g}" for point in points)),
        Column.numbers("ideal", (f"{point.at / series.base:.3g}" for point in points), give_way=3),
        Column("efficiency", [_style(point, series.least) for point in points]),
        Column.words("95 %", (format_interval(point) for point in points), give_way=2),
    ]
    if series.unit == "s" and not series.is_rate:
        hours = (f"{(point.cost or 0) / SECONDS:.3g}" for point in points)
        columns.append(Column.numbers(f"{printable(series.parameter)} × h", hours, give_way=4))
    if series.peak_rate is not None:
        shares = [
            Span(format_percent(point.of_peak or 0), "bad" if (point.of_peak or 0) > 1 else "")
            for point in points
        ]
        columns.append(Column("of peak", shares))
    return columns


def _style(point: EfficiencyPoint, least: float) -> Span:
    style: Style = "good" if point.efficiency >= least else "bad"
    return Span(format_percent(point.efficiency), style)


def format_percent(value: float) -> str:
    """``71 %``."""
    return f"{100 * value:.3g} %"


def format_interval(point: EfficiencyPoint) -> str:
    """``69 to 73``, in per cent."""
    if point.interval is None:
        return "–"
    return f"{100 * point.interval.low:.3g} to {100 * point.interval.high:.3g}"


def format_latex(answer: Efficiencies) -> str:
    """Return a table for papers of each function, with the first words of its answer as caption."""
    return "\n".join(
        format_latex_table(describe(series).split("; ")[0], make_columns(series), f"efficiency-{number}")
        for number, series in enumerate(answer.series, 1)
    )
