"""Growth: a metric over a numeric factor, with its model, band, expectation and deviation limit."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from steelyard.core.units import format_quantity
from steelyard.extensions.growth import holdouts_page
from steelyard.extensions.growth.algebra import parse, parse_deviation
from steelyard.extensions.growth.text import format_bound, model_columns
from steelyard.report.answer.words import Finding
from steelyard.report.page.answer_page import AnswerPage
from steelyard.report.page.chart import (
    ACCENT,
    BETTER,
    INK,
    MUTED,
    WORSE,
    Chart,
    Section,
    make_quantity_axis,
    number,
    tooltip,
)
from steelyard.report.page.marks import colour_scale, mark, point
from steelyard.report.text.digits import share
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Span
from steelyard.report.text.table import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steelyard.extensions.growth.results import Curve, PageModels

MOST: Final = 12
"""Functions with a chart of their own; the table has all."""
DASHES: Final = [5, 4]
"""Of expectations and limits, in the chart and in its legend."""
PUBLISHED: Final = "least squares"
"""The model by the published method, in the legend."""
MOST_VALUES: Final = 60
"""Of one point; of more, this many at equal ranks."""


def section(curves: Sequence[Curve]) -> Section | None:
    """Return a chart for each function, and the table of all models."""
    if not curves:
        return None
    models = [curve.model for curve in curves]
    table = (
        "Models, ranks and divergence",
        tuple(model_columns([replace(model, predictions=()) for model in models])),
        (),
    )
    rest = (f"The first {MOST} of {len(curves)} functions are drawn; the table has all.",)
    notes = rest if len(curves) > MOST else ()
    charts = tuple(_draw_curve(curve, i) for i, curve in enumerate(curves[:MOST], 1))
    return Section("growth", "Scaling", notes, charts, (table,))


def lay_out(models: PageModels) -> AnswerPage:
    """Return how many functions of data there are, how many have which rank, and their curves."""
    curves = models.curves
    ranks = Counter(c.model.validation.rank for c in curves if c.model.validation is not None)
    evidence = ", ".join(f"{count} {rank}" for rank, count in ranks.items())
    names = ", ".join(map(printable, models.not_drawn))
    return AnswerPage(
        name=printable(models.name),
        findings=(Finding(plural(len(curves), "function") + " modelled", evidence, ""),),
        state=f"{printable(models.name)}, steelyard model",
        sections=tuple(
            part for part in (section(curves), holdouts_page.section(models.holdouts)) if part is not None
        ),
        omitted=f"Of several parameters, not drawn: {names}" if names else "",
    )


def _draw_curve(curve: Curve, i: int) -> Chart:
    series, model = curve.series, curve.model
    parameter, unit = series.parameters[0], series.unit
    points: list[dict[str, Any]] = [
        {"x": point.at[0], "y": value, "says": format_quantity(value, unit)}
        for point in series.points
        for value in _thin(point.values)
    ]
    middles: list[dict[str, Any]] = [
        {"x": p.at[0], "y": median(p.values), "says": format_quantity(median(p.values), unit)}
        for p in series.points
    ]
    line = [{"x": p.at[0], "y": p.value, "low": p.low, "high": p.high} for p in model.predictions]
    limits = _draw_limits(curve, middles[0]["y"])
    if curve.published is not None:
        limits += [{"x": p.at[0], "y": p.value, "what": PUBLISHED} for p in curve.published.predictions]
    low = min(row["y"] for row in points)
    scale = {
        "nice": False,
        "type": "log" if low > 0 and max(row["y"] for row in points) > 5 * low else "linear",
    }
    xs = [row["x"] for row in middles]
    wide = {"type": "log", "base": 2} if xs[0] > 0 and xs[-1] > 8 * xs[0] else {"type": "linear"}
    title = printable(series.metric)
    colours = {"expected": MUTED, "at most": MUTED, "deviation limit": WORSE, PUBLISHED: BETTER}
    drawn = {row["what"] for row in limits}
    present = {label: colour for label, colour in colours.items() if label in drawn}
    x = number("x", printable(parameter), scale={**wide, "nice": False}, axis={"tickCount": 6})

    def y(field: str) -> dict[str, Any]:
        return number(field, title, scale=scale, axis=make_quantity_axis(unit, tickCount=5))

    at = {"x": x, "y": y("y")}
    band = {"x": x, "y": y("low"), "y2": {"field": "high"}}
    legend = {"symbolType": "stroke", "symbolDash": DASHES} if limits else None
    colour = {"color": colour_scale("what", present, legend=legend), "detail": {"field": "what"}}
    runs, medians = ({**at, "tooltip": tooltip(x=parameter, says=word)} for word in ("run", "median"))
    bounded = "isValid(datum.low) && isValid(datum.high)"
    layers = [
        mark("area", band, rows="line", condition=bounded, color=ACCENT, opacity=0.15),
        mark("line", {**at, **colour}, rows="limits", strokeDash=DASHES, strokeWidth=1.3),
        mark("line", at, rows="line", color=ACCENT, strokeWidth=2),
        mark("circle", runs, rows="points", size=18, color=INK, opacity=0.35),
        point(medians, 55, rows="middles", color=INK, opacity=1),
    ]
    rank = ""
    if model.validation is not None:
        label = format_bound(model.validation)
        rank = f"; {label} {model.validation.expectation}: {model.validation.rank}"
        rank += _format_sure(model.rank_probability)
    text = f"{model.growth()}{_format_sure(model.growth_probability)}{rank}"
    name = f"{printable(series.name)}: " if series.name else ""
    return Chart(
        name=f"growth-{i}",
        title=f"{name}{text}",
        about="Small dots are runs, large ones medians; line and band are the model and its 95 % interval."
        + (
            " Dashed: the expectation through the first point, and its limit of deviation."
            if model.validation is not None and limits
            else ""
        )
        + (
            f" Dashed, too: {curve.published.growth()}, by the published method (least squares)."
            if curve.published is not None
            else ""
        ),
        spec={"height": 280, "layer": layers},
        data={"points": points, "middles": middles, "line": line, "limits": limits},
        columns=_render_points(curve),
        heading=f"{name}{text}",
    )


def _render_points(curve: Curve) -> tuple[Column, ...]:
    """Return what was measured at each point, and what the model says of it."""
    points, unit = curve.series.points, curve.series.unit

    def quantities(values: Sequence[float]) -> list[Span]:
        return [Span(format_quantity(value, unit)) for value in values]

    return (
        Column.numbers(printable(curve.series.parameters[0]), (f"{point.at[0]:g}" for point in points)),
        Column.numbers("runs", (f"{len(point.values):,}" for point in points)),
        Column("lowest", quantities([min(point.values) for point in points])),
        Column("median", quantities([median(point.values) for point in points])),
        Column("highest", quantities([max(point.values) for point in points])),
        Column("model", quantities([curve.model.at_measured(*point.at) for point in points])),
    )


def _draw_limits(curve: Curve, first: float) -> list[dict[str, Any]]:
    """Return expectation and deviation limit along the series, through its first point."""
    validation = curve.model.validation
    if validation is None:
        return []
    parameter = curve.series.parameters[0]
    expected = parse(validation.expectation).growth(parameter, {})
    limit = parse_deviation(validation.deviation, parameter)
    rows: list[dict[str, Any]] = []
    with suppress(ValueError, ZeroDivisionError, OverflowError):  # no value there: log p at 1
        start = curve.series.points[0].at[0]
        base, off = expected.at(start), limit.at(start)
        for prediction in curve.model.predictions:
            at = prediction.at[0]
            value = first * expected.at(at) / base
            rows += [
                {"x": at, "y": value, "what": format_bound(validation)},
                {"x": at, "y": value * limit.at(at) / off, "what": "deviation limit"},
            ]
    return rows


def _thin(values: Sequence[float]) -> Sequence[float]:
    if len(values) <= MOST_VALUES:
        return values
    ordered = sorted(values)
    return [ordered[round(i * (len(ordered) - 1) / (MOST_VALUES - 1))] for i in range(MOST_VALUES)]


def _format_sure(probability: float | None) -> str:
    return "" if probability is None else f", {share(probability)} sure"
