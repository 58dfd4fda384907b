"""Hold-outs as a table: what each model predicted of its last points, and what others did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.core.units import format_quantity
from steelyard.extensions.growth.scaling.holdout import HeldPoint, Holdout
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import Column, table

METHODS: Final = {"value": "the model", "amdahl": "a + b/p", "power": "a power law", "extra_p": "Extra-P"}


def lines(holdouts: Sequence[Holdout], width: int = 80) -> list[Line]:
    """Render the hold-outs of all functions, and the median errors."""
    if not holdouts:
        return []
    out: list[Line] = [(), (Span("Last points held out", "heading"),)]
    rows = [(holdout, point) for holdout in holdouts for point in holdout.points]
    if rows:
        out += table(make_columns(rows), width)
        out += render_paragraph(summarise(holdouts), width, first="  ", rest="  ")
    for holdout in holdouts:
        if not holdout.points:
            text = f"{printable(holdout.name or holdout.metric)}: not held out: {holdout.reason}"
            out += render_paragraph(text, width, first="  ", rest="    ")
    return out


def make_columns(rows: Sequence[tuple[Holdout, HeldPoint]]) -> list[Column]:
    """Return the table of points that were held out, a row a point."""

    def quantities(method: str) -> list[Span]:
        values = [(getattr(point, method), holdout.unit) for holdout, point in rows]
        return [Span("–" if value is None else format_quantity(value, unit)) for value, unit in values]

    signs = [Span("✓", "good") if point.is_held else Span("✗", "bad") for _, point in rows]
    columns = [Column("", signs, right=False)]
    if len({(holdout.name, holdout.metric) for holdout, _ in rows}) > 1:
        names = (printable(holdout.name or holdout.metric) for holdout, _ in rows)
        columns.append(Column.words("function", names, is_name=True))
    columns += [
        Column.words("point", (f"{holdout.parameter} = {point.at:g}" for holdout, point in rows)),
        Column("measured", quantities("measured")),
        Column("predicted", [Span(_format_interval(holdout, point)) for holdout, point in rows], right=False),
        Column("a + b/p", quantities("amdahl"), give_way=2),
        Column("power law", quantities("power"), give_way=2),
    ]
    if any(point.extra_p is not None for _, point in rows):
        columns.append(Column("Extra-P", quantities("extra_p"), give_way=2))
    return columns


def _format_interval(holdout: Holdout, point: HeldPoint) -> str:
    value, low, high = (format_quantity(x, holdout.unit) for x in (point.value, point.low, point.high))
    return f"{value} [{low}, {high}]"


def summarise(holdouts: Sequence[Holdout]) -> str:
    """Say how many intervals held, and the median error of each method."""
    points = [point for holdout in holdouts for point in holdout.points]
    held = sum(point.is_held for point in points)
    together = Holdout("", "", "", "", tuple(points))
    errors = [
        f"{words} {100 * error:.3g} %"
        for method, words in METHODS.items()
        if (error := together.error_of(method)) is not None
    ]
    return f"{held} of {plural(len(points), 'interval')} held; median error: {', '.join(errors)}."
