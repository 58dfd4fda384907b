"""The audit of models: what each predicts of last points that were held out, over what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from steelyard.core.units import format_quantity
from steelyard.extensions.growth.holdouts import METHODS, make_columns, summarise
from steelyard.report.page.chart import (
    ACCENT,
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
)
from steelyard.report.page.marks import colour_scale, line_at, mark, point
from steelyard.report.text.label import printable

if TYPE_CHECKING:
    from steelyard.extensions.growth.scaling.holdout import HeldPoint, Holdout

MOST: Final = 30
"""Points that are drawn; the table has all."""
FARTHEST: Final = 100.0
"""Factor off beyond which nothing is drawn: the table has the number."""
HELD: Final = "interval of the model"
MISSED: Final = "interval, missed"


def section(holdouts: Sequence[Holdout]) -> Section | None:
    """Return a chart of predictions over measured values, and the table of all."""
    if not holdouts:
        return None
    rows = [(holdout, held) for holdout in holdouts for held in holdout.points]
    notes = tuple(
        f"{printable(holdout.name or holdout.metric)}: not held out: {holdout.reason}"
        for holdout in holdouts
        if not holdout.points
    )
    if not rows:
        return Section("audit", "Last points held out", notes=notes)
    columns = tuple(make_columns(rows))
    drawn = [(holdout, held) for holdout, held in rows if held.measured > 0][:MOST]
    charts = (_draw(drawn),) if drawn else ()
    if len(drawn) < len(rows):
        notes = (f"{len(drawn)} of {len(rows)} points are drawn; the table has all.", *notes)
    table = ("Last points held out", columns, ())
    return Section("audit", "Last points held out", (summarise(holdouts),), charts, (table,), notes)


def _draw(rows: Sequence[tuple[Holdout, HeldPoint]]) -> Chart:
    names = [_name(holdout, held) for holdout, held in rows]
    y = draw_rows_axis(names)
    intervals = [
        {
            "name": name,
            "low": _clip(held.low / held.measured),
            "high": _clip(held.high / held.measured),
            "what": HELD if held.is_held else MISSED,
        }
        for name, (_, held) in zip(names, rows, strict=True)
    ]
    values = [
        value
        for name, (holdout, held) in zip(names, rows, strict=True)
        for value in _list_predictions(name, holdout, held)
    ]
    methods = list(dict.fromkeys(value["method"] for value in values))

    def x(field: str) -> dict[str, Any]:
        return number(field, "predicted / measured", scale={"type": "log"}, axis={"tickCount": 6})

    colours = dict(zip(METHODS.values(), SERIES, strict=False))
    dots = {
        "y": y,
        "x": x("ratio"),
        "color": colour_scale("method", {name: colours[name] for name in methods}),
        "tooltip": tooltip(name="point", method="by", says="predicted"),
    }
    layers = [
        line_at(1, "x", x),
        *(
            mark(
                "rule",
                {"y": y, "x": x("low"), "x2": {"field": "high"}},
                rows="intervals",
                condition=f"datum.what == '{label}'",
                color=colour,
                strokeWidth=5,
                opacity=0.35,
                strokeCap="round",
            )
            for label, colour in ((HELD, ACCENT), (MISSED, WORSE))
        ),
        point(dots, 60, rows="values", opacity=1),
    ]
    chart = Chart(
        name="audit",
        title="Last points held out",
        about="Each point is predicted from those before it. Bars are 95 % intervals of the model, orange"
        " where they miss what was measured, which is 1.",
        spec={"data": data("values"), "height": rows_px(len(rows)), "layer": layers},
        data={"intervals": intervals, "values": values},
    )
    return name_shared(chart, names)


def _name(holdout: Holdout, held: HeldPoint) -> str:
    name = printable(holdout.name or holdout.metric)
    return f"{name}, {printable(holdout.parameter)} = {held.at:g}"


def _list_predictions(name: str, holdout: Holdout, held: HeldPoint) -> Iterator[dict[str, Any]]:
    for method, words in METHODS.items():
        value = getattr(held, method)
        if value is not None and 1 / FARTHEST < value / held.measured < FARTHEST:
            says = format_quantity(value, holdout.unit)
            yield {"name": name, "ratio": value / held.measured, "method": words, "says": says}


def _clip(ratio: float) -> float:
    return min(max(ratio, 1 / FARTHEST), FARTHEST) if math.isfinite(ratio) else FARTHEST
