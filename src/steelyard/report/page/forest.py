"""Forest plots: ratios with their intervals, a row each, around the line where nothing changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from steelyard.report.page.chart import (
    BETTER,
    GRID,
    MOST_INSIDE,
    MUTED,
    OPEN,
    PAGE,
    WORSE,
    Rows,
    Spec,
    data,
    draw_rows_axis,
    place_at_end,
    rows_px,
    tooltip,
    unless_chosen,
)
from steelyard.report.page.marks import colour_scale, line_at, mark, point
from steelyard.report.page.ratio_axis import Directions, make_ratio_axis
from steelyard.report.text.cells import render_interval_cell, render_ratio_cell
from steelyard.report.text.digits import bounds, ratio
from steelyard.report.text.line import Span, Style
from steelyard.report.text.table import Column
from steelyard.results.interval import Interval

_COLOURS: Final[Mapping[Style, str]] = {"good": "better", "bad": "worse", "": "better", "open": "open"}


class Estimated(msgspec.Struct, frozen=True):
    """A row: a ratio, its interval, and where one is known the prediction for a new context.

    Attributes
    ----------
    says : str
        Beside the mark; empty: the ratio and the verdict.
    inverted : bool
        Whether words have the inverse of the ratio: ``2.76 × slower`` at 0.362.
    """

    name: str
    value: float
    interval: Interval | None
    style: Style = "open"
    verdict: str = ""
    treatment: str = ""
    prediction: Interval | None = None
    says: str = ""
    inverted: bool = False


def rows(estimateds: Sequence[Estimated]) -> Rows:
    """Return the data of a forest plot."""
    return [_draw_row(estimate) for estimate in estimateds]


def _draw_row(estimated: Estimated) -> dict[str, Any]:
    value, inverted = estimated.value, estimated.inverted
    text = f"{ratio(value, estimated.interval)} ×"
    row: dict[str, Any] = {
        "name": estimated.name,
        "value": estimated.value,
        "means": _COLOURS.get(estimated.style, "open"),
        "says": estimated.says or (f"{text}, {estimated.verdict}" if estimated.verdict else text),
        "ci": format_bounds(value, estimated.interval, inverted=inverted)
        if estimated.interval
        else "unbounded",
    }
    if estimated.treatment:
        row["treatment"] = estimated.treatment
    if estimated.interval:
        row |= {"low": estimated.interval.low, "high": estimated.interval.high}
    row["next"] = "–"
    if estimated.prediction:
        row |= {
            "least": estimated.prediction.low,
            "most": estimated.prediction.high,
            "next": format_bounds(value, estimated.prediction, inverted=inverted),
        }
    return row


def format_bounds(value: float, interval: Interval, *, inverted: bool) -> str:
    """Return an interval of a ratio, or of its inverse where words have that."""
    if inverted and interval.low > 0:
        return bounds(1 / value, interval.reciprocal())
    return bounds(value, interval)


def _compute_ends(estimated: Estimated) -> tuple[float, ...]:
    intervals = [interval for interval in (estimated.interval, estimated.prediction) if interval is not None]
    return (estimated.value, *(end for interval in intervals for end in (interval.low, interval.high)))


def render_forest_columns(estimateds: Sequence[Estimated], title: str) -> tuple[Column, ...]:
    """Return the same as a table."""
    verdicts = any(estimate.verdict for estimate in estimateds)
    return (
        Column.words(title, (estimate.name for estimate in estimateds)),
        Column("ratio", [render_ratio_cell(estimate.value, estimate.interval) for estimate in estimateds]),
        Column(
            "95 % CI",
            [render_interval_cell(estimate.value, estimate.interval) for estimate in estimateds],
            right=False,
        ),
        *(
            [Column("verdict", [Span(estimate.verdict, estimate.style) for estimate in estimateds])]
            if verdicts
            else []
        ),
    )


def forest(
    estimateds: Sequence[Estimated],
    title: str,
    margin: float | None = None,
    directions: Directions | None = None,
) -> Spec:
    """Dots with intervals (thick), predictions (thin), a line at 1, and the margin as a band.

    ``directions`` name both sides of 1.
    """
    count = len(estimateds)
    ends = [end for estimate in estimateds for end in _compute_ends(estimate)]

    def x(field: str) -> dict[str, Any]:
        return make_ratio_axis(field, title, ends, directions)

    colour = colour_scale("means", {"better": BETTER, "worse": WORSE, "open": OPEN}, legend=None)
    predicted = (
        {"next": "next context (95 % PI)"} if any(estimate.prediction for estimate in estimateds) else {}
    )
    bounded = any(estimate.interval for estimate in estimateds)
    shared: dict[str, Any] = {
        "y": draw_rows_axis([estimate.name for estimate in estimateds]),
        "opacity": unless_chosen(1.0, 0.2),
        "tooltip": tooltip(name="what", says="ratio", ci="95 % CI", **predicted),
    }

    def interval(low: str, high: str, encoding: Mapping[str, Any], **look: Any) -> dict[str, Any]:
        ends_of = {"x": x(low), "x2": {"field": high}}
        return mark("rule", {**ends_of, **shared, **encoding}, condition=low, strokeCap="round", **look)

    layers = [
        line_at(1, "x", x),
        *([interval("least", "most", {}, strokeWidth=1.3, color=MUTED)] if predicted else []),
        *([interval("low", "high", {"stroke": colour}, strokeWidth=5)] if bounded else []),
        point({"x": x("value"), "fill": colour, **shared}, 85, stroke=PAGE),
    ]
    if margin is not None:
        band = mark("rect", {"x": x("low"), "x2": {"field": "high"}}, color=GRID, opacity=0.7)
        layers.insert(0, {"data": {"values": [{"low": 1 - margin, "high": 1 + margin}]}, **band})
    if count <= MOST_INSIDE:
        layers.append(place_at_end("says", shared["y"]))
    return {"data": data("rows"), "height": rows_px(count), "layer": layers}
